// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/readable_width.h"

#include <QMessageBox>
#include <QTest>

class TestReadableWidth : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void box_isAsWideAsALine() {
        QMessageBox box(QMessageBox::Warning, QStringLiteral("Failed"), QStringLiteral("It failed"), QMessageBox::Ok);
        box.setInformativeText(QStringLiteral("for a reason that takes more than one line to tell, because there are "
                                              "two models with the same name in the folder that was chosen"));
        ui::setReadableWidth(box);
        box.show();
        QVERIFY(QTest::qWaitForWindowExposed(&box));
        QVERIFY2(box.width() >= 64 * box.fontMetrics().averageCharWidth(), qPrintable(QString::number(box.width())));
    }
};

QTEST_MAIN(TestReadableWidth)
#include "tst_readable_width.moc"
