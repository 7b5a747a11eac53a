// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/trace/numbers/big_integer.h"
#include "core/trace/value_source.h"

#include "core/diag/error.h"
#include "core/ir/print.h"

#include <QtTest>

using fx::trace::BigInteger;

/// Expressions without tensors, as Python computes them.
class TestPlainValues : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void value_ofExpression_isPythons_data() {
        QTest::addColumn<QString>("expression");
        QTest::addColumn<QString>("value");
        const auto row = [](const char* expression, const char* value) {
            QTest::newRow(expression) << QString(expression) << QString(value);
        };
        row("2 ** 100", "1267650600228229401496703205376");
        row("-(10 ** 20) // 7", "-14285714285714285715");
        row("-(10 ** 20) % 7", "5");
        row("1 << 70", "1180591620717411303424");
        row("-(1 << 70) >> 68", "-4");
        row("-(2 ** 66) & (2 ** 90 - 1)", "1237939965498403980060917760");
        row("9223372036854775807 + 1 - 1", "9223372036854775807");
        row("0 - 9223372036854775807 - 1", "-9223372036854775808");
        row("-7.5 % 2", "0.5");
        row("7.5 % -2.5", "-0.0");
        row("-7.5 // 2", "-4.0");
        row("True & False", "False");
        row("True & 3", "1");
        row("'ab' * 2 + 'c'", "'ababc'");
        row("'häuser'[1]", "'ä'");
        row("'häuser'[::-1]", "'resuäh'");
        row("math.sqrt(4.0)", "2.0");
        row("chr(233)", "'é'");
        row("ord('é')", "233");
        row("hex(-255)", "'-0xff'");
        row("bin(5)", "'0b101'");
        row("oct(0)", "'0o0'");
        row("math.isclose(0.1 + 0.2, 0.3)", "True");
        row("math.isclose(1.0, 1.1)", "False");
        row("math.isqrt(99)", "9");
        row("math.prod((2, 3, 4))", "24");
        row("math.factorial(25)", "15511210043330985984000000");
        row("math.floor(-2.5)", "-3");
        row("max(3, 5)", "5");
        row("min([4, 2])", "2");
        row("sum(range(4))", "6");
        row("round(2.5)", "2");
        row("divmod(-7, 2)", "(-4, 1)");
        row("sorted((3, 1, 2))", "[1, 2, 3]");
        row("repr('it')", "\"'it'\"");
        row("len('äb')", "2");
        row("int(-3.7)", "-3");
        row("float(3 ** 90)", "8.727963568087712e+42");
        row("torch.float32.itemsize", "4");
        row("torch.int8.is_floating_point", "False");
        row("torch.finfo(torch.float32).max", "3.4028234663852886e+38");
        row("torch.finfo().resolution", "1e-06");
        row("torch.iinfo(torch.int64).min", "-9223372036854775808");
        row("torch.finfo(torch.bfloat16).dtype", "'bfloat16'");
        row("getattr(torch.float32, 'nothing', 7)", "7");
        row("torch.device('cuda', 1).index", "1");
        row("torch.broadcast_shapes((2, 1), 3)", "(2, 3)");
        row("torch.promote_types(torch.int8, torch.float16)", "torch.float16");
        row("(1+2j).imag", "2.0");
    }
    void value_ofExpression_isPythons() {
        QFETCH(QString, expression);
        const fx::Graph graph;
        QTEST(QString::fromStdString(fx::reprOf(graph, fx::valueFromSource(expression.toStdString()))), "value");
    }
    void value_thatPythonRefuses_isRefused_data() {
        QTest::addColumn<QString>("expression");
        QTest::addColumn<QString>("says");
        QTest::newRow("zero") << "1 // 0"
                              << "ZeroDivisionError";
        QTest::newRow("domain") << "math.sqrt(-1)"
                                << "math domain error";
        QTest::newRow("attribute") << "torch.float32.nothing"
                                   << "AttributeError";
        QTest::newRow("power") << "2 ** 100000"
                               << "cannot compute operator.pow(2, 100000)";
        QTest::newRow("text") << "'ab' * 1000000"
                              << "too long";
    }
    void value_thatPythonRefuses_isRefused() {
        QFETCH(QString, expression);
        QFETCH(QString, says);
        try {
            fx::valueFromSource(expression.toStdString());
            QFAIL("not refused");
        } catch (const fx::Error& error) { QVERIFY2(QString(error.what()).contains(says), error.what()); }
    }
    void bigInteger_divide_isExactForAllSigns() {
        const BigInteger big = *BigInteger::parse("123456789012345678901234567890"),
                         small = *BigInteger::parse("9876543210987654321");
        for (const BigInteger& a : {big, -big})
            for (const BigInteger& b : {small, -small}) {
                const auto quotient = *BigInteger::binary("floordiv", a, b), rest = *BigInteger::binary("mod", a, b);
                QCOMPARE(*BigInteger::binary("mul", quotient, b) + rest, a);
                QCOMPARE(rest.isNegative(), b.isNegative());
            }
    }
};

QTEST_APPLESS_MAIN(TestPlainValues)
#include "tst_plain_values.moc"
