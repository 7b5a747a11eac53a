// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/readable_width.h"

#include <QLabel>
#include <QMessageBox>
#include <QTest>

#include <algorithm>

class TestReadableWidth : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// Texts of files, such as the name of a class, may contain tags.
    void explanation_isAsPlainAsTheText() {
        for (const Qt::TextFormat format : {Qt::PlainText, Qt::RichText}) {
            QMessageBox box(QMessageBox::Warning, QStringLiteral("Failed"), QStringLiteral("It failed"),
                            QMessageBox::Ok);
            box.setTextFormat(format);
            box.setInformativeText(QStringLiteral("an object of class <b>x</b>"));
            ui::setReadableWidth(box);
            const auto labels = box.findChildren<QLabel*>();
            QCOMPARE(std::count_if(labels.begin(), labels.end(),
                                   [&](const QLabel* each) {
                                       return each->text().contains(QLatin1String("<b>")) &&
                                              each->textFormat() == format;
                                   }),
                     1);
        }
    }

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
