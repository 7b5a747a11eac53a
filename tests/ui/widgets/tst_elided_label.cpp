// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/elided_label.h"

#include <QTest>

class TestElidedLabel : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void text_endsInAnEllipsisWhereThereIsNoRoom() {
        ui::ElidedLabel label(nullptr);
        const QString text = QStringLiteral("with x 1×3×224×224 float32, normal · seed 0");
        label.setText(text);
        label.resize(600, 24);
        QCOMPARE(label.shown(), text);
        label.resize(120, 24);
        QVERIFY(label.shown().endsWith(QChar(0x2026)));
        QVERIFY(label.shown().startsWith(QStringLiteral("with x")));
        QVERIFY(label.fontMetrics().horizontalAdvance(label.shown()) <= 120);
        QCOMPARE(label.text(), text);
        label.resize(30, 24);
        QVERIFY(label.shown().isEmpty());
    }
};

QTEST_MAIN(TestElidedLabel)
#include "tst_elided_label.moc"
