// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/trace/callables.h"

#include <QtTest>

class TestCallables : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void isKnownCallable_names_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<bool>("known");
        for (const char* name :
             {"torch.relu", "operator.add", "_operator.add", "getattr", "aten.add.Tensor", "torch.ops.aten.add.Tensor",
              "torch.ops.aten.add", "torch.ops.higher_order.cond", "torch.ops.higher_order.wrap_with_set_grad_enabled"})
            QTest::newRow(name) << name << true;
        for (const char* name : {"torch.rellu", "torch.ops.aten.add.Nothing", "torch.ops.mylib.twist.default",
                                 "torch.ops.higher_order.condition", "mypkg.f"})
            QTest::newRow(name) << name << false;
    }
    void isKnownCallable_names() {
        QFETCH(QString, name);
        QFETCH(bool, known);
        QCOMPARE(fx::isKnownCallable(name.toStdString()), known);
        QVERIFY(fx::resolveCallable(name.toStdString()));
    }
};

QTEST_APPLESS_MAIN(TestCallables)
#include "tst_callables.moc"
