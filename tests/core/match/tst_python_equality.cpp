// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/match/python_equality.h"

#include <QtTest>

#include <limits>

using fx::Argument;

class TestPythonEquality : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void numbers_acrossTypes_areEqual() {
        QVERIFY(fx::pythonEquals(1, 1.0));
        QVERIFY(fx::pythonEquals(true, 1));
        QVERIFY(fx::pythonEquals(0.0, -0.0));
        QVERIFY(!fx::pythonEquals(std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::quiet_NaN()));
        QVERIFY(!fx::pythonEquals(1, "1"));
    }
    void types_areExact() {
        QVERIFY(!fx::sameType(1, 1.0));
        QVERIFY(!fx::sameType(true, 1));
        QVERIFY(fx::sameType(1, Argument(fx::BigInt{"100000000000000000000"})));
        QVERIFY(!fx::sameType(Argument::list({}), Argument::tuple({})));
    }
    void containers_compareTheirItems() {
        QVERIFY(fx::pythonEquals(Argument::list({1, 2.0}), Argument::list({1.0, 2})));
        QVERIFY(!fx::pythonEquals(Argument::list({1}), Argument::tuple({1})));
        QVERIFY(fx::pythonEquals(Argument::dict({{"a", 1}, {"b", 2}}), Argument::dict({{"b", 2}, {"a", 1}})));
        QVERIFY(!fx::pythonEquals(Argument::dict({{"a", 1}}), Argument::dict({{"a", 1}, {"b", 2}})));
        QVERIFY(fx::pythonEquals(Argument::slice(0, 2, {}), Argument::slice(false, 2.0, {})));
    }
    void nodes_ofTwoGraphs_differ() {
        const auto node = static_cast<fx::NodeId>(3);
        QVERIFY(fx::pythonEquals(node, node));
        QVERIFY(!fx::pythonEquals(node, node, true));
        QVERIFY(!fx::pythonEquals(Argument::slice(node, 1, {}), Argument::slice(node, 1, {}), true));
    }
};

QTEST_APPLESS_MAIN(TestPythonEquality)
#include "tst_python_equality.moc"
