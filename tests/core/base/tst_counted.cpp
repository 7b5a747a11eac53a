// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/counted.h"

#include <QTest>

class TestCounted : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void onlyOne_isSingular() {
        QCOMPARE(fx::counted(0, "batch", "batches"), std::string("0 batches"));
        QCOMPARE(fx::counted(1, "batch", "batches"), std::string("1 batch"));
        QCOMPARE(fx::counted(2, "batch", "batches"), std::string("2 batches"));
        QVERIFY(fx::formOf(1, "stays", "stay") == "stays");
    }
};

QTEST_APPLESS_MAIN(TestCounted)
#include "tst_counted.moc"
