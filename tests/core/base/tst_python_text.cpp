// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/python_text.h"

#include <QTest>
#include <limits>

class TestPythonText : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void float_anyValue_printsAsPython_data() {
        QTest::addColumn<double>("value");
        QTest::addColumn<QByteArray>("text");
        const auto row = [](double value, const char* text) { QTest::newRow(text) << value << QByteArray(text); };
        row(0, "0.0");
        row(-0.0, "-0.0");
        row(1e-5, "1e-05");
        row(1e-4, "0.0001");
        row(1e16, "1e+16");
        row(123456789012345680.0, "1.2345678901234568e+17");
        row(9999999999999998.0, "9999999999999998.0");
        row(1e22, "1e+22");
        row(0.1, "0.1");
        row(1e-320, "1e-320");
        row(3.4028234663852886e38, "3.4028234663852886e+38");
        row(std::numeric_limits<double>::infinity(), "inf");
        row(-std::numeric_limits<double>::infinity(), "-inf");
        row(std::numeric_limits<double>::quiet_NaN(), "nan");
        row(1e300, "1e+300");
    }
    void float_anyValue_printsAsPython() {
        QFETCH(double, value);
        QFETCH(QByteArray, text);
        std::string out;
        fx::appendPythonFloat(out, value);
        QCOMPARE(QByteArray::fromStdString(out), text);
    }
    void string_anyText_printsAsPython_data() {
        QTest::addColumn<QByteArray>("value");
        QTest::addColumn<QByteArray>("text");
        QTest::newRow("plain") << QByteArray("abc") << QByteArray("'abc'");
        QTest::newRow("single quote") << QByteArray("it's") << QByteArray("\"it's\"");
        QTest::newRow("both quotes") << QByteArray("a\"b'c") << QByteArray("'a\"b\\'c'");
        QTest::newRow("controls") << QByteArray("\n\t\\\x01\x7f") << QByteArray("'\\n\\t\\\\\\x01\\x7f'");
        QTest::newRow("printable") << QByteArray("\u00e9\u4e2d") << QByteArray("'\u00e9\u4e2d'");
        QTest::newRow("no-break space, zero width, private")
            << QByteArray("\u00a0\u200b\ue000") << QByteArray("'\\xa0\\u200b\\ue000'");
        QTest::newRow("unassigned astral")
            << QByteArray("\U0001F600\U000E0080") << QByteArray("'\U0001F600\\U000e0080'");
        QTest::newRow("surrogate") << QByteArray("\xed\xa0\x80") << QByteArray("'\\ud800'");
    }
    void string_anyText_printsAsPython() {
        QFETCH(QByteArray, value);
        QFETCH(QByteArray, text);
        std::string out;
        fx::appendPythonString(out, value.toStdString());
        QCOMPARE(QByteArray::fromStdString(out), text);
    }
    void complex_anyValue_printsAsPython() {
        const auto text = [](double re, double im) {
            std::string out;
            fx::appendPythonComplex(out, re, im);
            return QString::fromStdString(out);
        };
        QCOMPARE(text(1, 2), QString("(1+2j)"));
        QCOMPARE(text(0, 2.5), QString("2.5j"));
        QCOMPARE(text(-0.0, -1), QString("(-0-1j)"));
        QCOMPARE(text(1e20, std::numeric_limits<double>::infinity()), QString("(1e+20+infj)"));
    }
    void identifier_unicode_followsPython() {
        QVERIFY(fx::isPythonIdentifier("_a1"));
        QVERIFY(fx::isPythonIdentifier("for"));
        QVERIFY(fx::isPythonIdentifier("\u00e9t\u00e9"));
        QVERIFY(!fx::isPythonIdentifier("1a"));
        QVERIFY(!fx::isPythonIdentifier("\uff45val")); // Python reads eval
        QVERIFY(!fx::isPythonIdentifier("\U0001d41e\u02e1"));
        QVERIFY(fx::isPythonIdentifier("\u5909\u6570"));
        QVERIFY(!fx::isPythonIdentifier("a b"));
        QVERIFY(!fx::isPythonIdentifier(""));
        QVERIFY(fx::isPythonKeyword("lambda"));
        QVERIFY(!fx::isPythonKeyword("match"));
        QVERIFY(fx::isPythonBuiltin("getattr"));
        QVERIFY(!fx::isPythonBuiltin("torch"));
    }
};

QTEST_APPLESS_MAIN(TestPythonText)
#include "tst_python_text.moc"
