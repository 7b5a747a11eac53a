// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/pt2/sympy_text.h"

#include <QtTest>

/// The expected texts are what str() of sympy 1.14 gives for the expression that srepr() spells so.
class TestSympyText : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void constructors_print_asSympyDoes_data() {
        QTest::addColumn<QString>("constructors");
        QTest::addColumn<QString>("printed");
        QTest::newRow("s0") << "Symbol('s0', positive=True, integer=True)"
                            << "s0";
        QTest::newRow("2*s0") << "Mul(Integer(2), Symbol('s0', positive=True, integer=True))"
                              << "2*s0";
        QTest::newRow("s0 + 1") << "Add(Symbol('s0', positive=True, integer=True), Integer(1))"
                                << "s0 + 1";
        QTest::newRow("-s0") << "Mul(Integer(-1), Symbol('s0', positive=True, integer=True))"
                             << "-s0";
        QTest::newRow("s0 - 1") << "Add(Symbol('s0', positive=True, integer=True), Integer(-1))"
                                << "s0 - 1";
        QTest::newRow("1 - s0") << "Add(Integer(1), Mul(Integer(-1), Symbol('s0', positive=True, integer=True)))"
                                << "1 - s0";
        QTest::newRow("-2*s0 + s1") << "Add(Mul(Integer(-1), Integer(2), Symbol('s0', positive=True, integer=True)), "
                                       "Symbol('s1', positive=True, integer=True))"
                                    << "-2*s0 + s1";
        QTest::newRow("s0*s1")
            << "Mul(Symbol('s0', positive=True, integer=True), Symbol('s1', positive=True, integer=True))"
            << "s0*s1";
        QTest::newRow("3*s0*s1")
            << "Mul(Integer(3), Symbol('s0', positive=True, integer=True), Symbol('s1', positive=True, integer=True))"
            << "3*s0*s1";
        QTest::newRow("s0**2") << "Pow(Symbol('s0', positive=True, integer=True), Integer(2))"
                               << "s0**2";
        QTest::newRow("(s0 + 1)**2") << "Pow(Add(Symbol('s0', positive=True, integer=True), Integer(1)), Integer(2))"
                                     << "(s0 + 1)**2";
        QTest::newRow("s0*(s1 + 1)") << "Mul(Symbol('s0', positive=True, integer=True), Add(Symbol('s1', "
                                        "positive=True, integer=True), Integer(1)))"
                                     << "s0*(s1 + 1)";
        QTest::newRow("-s0 - 1") << "Add(Mul(Integer(-1), Symbol('s0', positive=True, integer=True)), Integer(-1))"
                                 << "-s0 - 1";
        QTest::newRow("-s0*(s1 + 1)") << "Mul(Integer(-1), Symbol('s0', positive=True, integer=True), Add(Symbol('s1', "
                                         "positive=True, integer=True), Integer(1)))"
                                      << "-s0*(s1 + 1)";
        QTest::newRow("(s0//2)") << "FloorDiv(Symbol('s0', positive=True, integer=True), Integer(2))"
                                 << "(s0//2)";
        QTest::newRow("(((s0 - 1)//2)) + 1")
            << "Add(FloorDiv(Add(Symbol('s0', positive=True, integer=True), Integer(-1)), Integer(2)), Integer(1))"
            << "(((s0 - 1)//2)) + 1";
        QTest::newRow("2*((s0//3))")
            << "Mul(Integer(2), FloorDiv(Symbol('s0', positive=True, integer=True), Integer(3)))"
            << "2*((s0//3))";
        QTest::newRow("PythonMod(u0, 3)") << "PythonMod(Symbol('u0', integer=True), Integer(3))"
                                          << "PythonMod(u0, 3)";
        QTest::newRow("Min(s0, 8*s1)") << "Min(Symbol('s0', positive=True, integer=True), Mul(Integer(8), Symbol('s1', "
                                          "positive=True, integer=True)))"
                                       << "Min(s0, 8*s1)";
        QTest::newRow("s0 > 3") << "StrictGreaterThan(Symbol('s0', positive=True, integer=True), Integer(3))"
                                << "s0 > 3";
        QTest::newRow("s0 >= s1")
            << "GreaterThan(Symbol('s0', positive=True, integer=True), Symbol('s1', positive=True, integer=True))"
            << "s0 >= s1";
        QTest::newRow("Eq(s0, s1)")
            << "Equality(Symbol('s0', positive=True, integer=True), Symbol('s1', positive=True, integer=True))"
            << "Eq(s0, s1)";
        QTest::newRow("Ne(s0, 2)") << "Unequality(Symbol('s0', positive=True, integer=True), Integer(2))"
                                   << "Ne(s0, 2)";
        QTest::newRow("(s0 > 3) & (s1 < 4)")
            << "And(StrictGreaterThan(Symbol('s0', positive=True, integer=True), Integer(3)), "
               "StrictLessThan(Symbol('s1', positive=True, integer=True), Integer(4)))"
            << "(s0 > 3) & (s1 < 4)";
        QTest::newRow("Eq(s1, 4) | (s0 > 3)")
            << "Or(Equality(Symbol('s1', positive=True, integer=True), Integer(4)), StrictGreaterThan(Symbol('s0', "
               "positive=True, integer=True), Integer(3)))"
            << "Eq(s1, 4) | (s0 > 3)";
        QTest::newRow("Ne(s0, 3)") << "Unequality(Symbol('s0', positive=True, integer=True), Integer(3))"
                                   << "Ne(s0, 3)";
        QTest::newRow("~((s0 > 3) & (s1 < 2))")
            << "Not(And(StrictGreaterThan(Symbol('s0', positive=True, integer=True), Integer(3)), "
               "StrictLessThan(Symbol('s1', positive=True, integer=True), Integer(2))))"
            << "~((s0 > 3) & (s1 < 2))";
        QTest::newRow("0.5*zf0") << "Mul(Float('0.5', precision=53), Symbol('zf0'))"
                                 << "0.5*zf0";
        QTest::newRow("TruncToInt(0.1*zf0)")
            << "TruncToInt(Mul(Float('0.10000000000000001', precision=53), Symbol('zf0')))"
            << "TruncToInt(0.1*zf0)";
        QTest::newRow("IntTrueDiv(s0, s1)")
            << "IntTrueDiv(Symbol('s0', positive=True, integer=True), Symbol('s1', positive=True, integer=True))"
            << "IntTrueDiv(s0, s1)";
        QTest::newRow("2*(IntTrueDiv(s0, s1))") << "Mul(Integer(2), IntTrueDiv(Symbol('s0', positive=True, "
                                                   "integer=True), Symbol('s1', positive=True, integer=True)))"
                                                << "2*(IntTrueDiv(s0, s1))";
        QTest::newRow("(FloatTrueDiv(zf0, 2.0)) + 1")
            << "Add(FloatTrueDiv(Symbol('zf0'), Float('2.0', precision=53)), Integer(1))"
            << "(FloatTrueDiv(zf0, 2.0)) + 1";
        QTest::newRow("PowByNatural(s0, s1)")
            << "PowByNatural(Symbol('s0', positive=True, integer=True), Symbol('s1', positive=True, integer=True))"
            << "PowByNatural(s0, s1)";
        QTest::newRow("FloatPow(zf0, 0.5)") << "FloatPow(Symbol('zf0'), Float('0.5', precision=53))"
                                            << "FloatPow(zf0, 0.5)";
        QTest::newRow("1.0e-10*ToFloat(s0)")
            << "Mul(Float('1.0e-10', precision=53), ToFloat(Symbol('s0', positive=True, integer=True)))"
            << "1.0e-10*ToFloat(s0)";
        QTest::newRow("1/s0") << "Pow(Symbol('s0', positive=True, integer=True), Integer(-1))"
                              << "1/s0";
        QTest::newRow("s1/s0") << "Mul(Pow(Symbol('s0', positive=True, integer=True), Integer(-1)), Symbol('s1', "
                                  "positive=True, integer=True))"
                               << "s1/s0";
        QTest::newRow("sqrt(s0)") << "Pow(Symbol('s0', positive=True, integer=True), Rational(1, 2))"
                                  << "sqrt(s0)";
        QTest::newRow("1/sqrt(s0)") << "Pow(Symbol('s0', positive=True, integer=True), Rational(-1, 2))"
                                    << "1/sqrt(s0)";
        QTest::newRow("s0**s1")
            << "Pow(Symbol('s0', positive=True, integer=True), Symbol('s1', positive=True, integer=True))"
            << "s0**s1";
        QTest::newRow("s0/2") << "Mul(Rational(1, 2), Symbol('s0', positive=True, integer=True))"
                              << "s0/2";
        QTest::newRow("-3*s0/2") << "Mul(Integer(-1), Rational(3, 2), Symbol('s0', positive=True, integer=True))"
                                 << "-3*s0/2";
        QTest::newRow("Piecewise((3, s0 > 7), (4, True))")
            << "Piecewise(ExprCondPair(Integer(3), StrictGreaterThan(Symbol('s0', positive=True, integer=True), "
               "Integer(7))), ExprCondPair(Integer(4), true))"
            << "Piecewise((3, s0 > 7), (4, True))";
        QTest::newRow("ModularIndexing(s0, 2, 3)")
            << "ModularIndexing(Symbol('s0', positive=True, integer=True), Integer(2), Integer(3))"
            << "ModularIndexing(s0, 2, 3)";
        QTest::newRow("CeilToInt(zf0)") << "CeilToInt(Symbol('zf0'))"
                                        << "CeilToInt(zf0)";
        QTest::newRow("s0 + 2*s1 - 3") << "Add(Symbol('s0', positive=True, integer=True), Mul(Integer(2), Symbol('s1', "
                                          "positive=True, integer=True)), Integer(-3))"
                                       << "s0 + 2*s1 - 3";
        QTest::newRow("Where(s0 > 2, s0, s1)")
            << "Where(StrictGreaterThan(Symbol('s0', positive=True, integer=True), Integer(2)), Symbol('s0', "
               "positive=True, integer=True), Symbol('s1', positive=True, integer=True))"
            << "Where(s0 > 2, s0, s1)";
        QTest::newRow("4*s0") << "Mul(Integer(4), Symbol('s0', positive=True, integer=True))"
                              << "4*s0";
        QTest::newRow("RoundToInt(zf0)") << "RoundToInt(Symbol('zf0'))"
                                         << "RoundToInt(zf0)";
        QTest::newRow("-3") << "Integer(-3)"
                            << "-3";
        QTest::newRow("1.0e+20*zf0") << "Mul(Float('1.0e+20', precision=53), Symbol('zf0'))"
                                     << "1.0e+20*zf0";
        QTest::newRow("True") << "true"
                              << "True";
        QTest::newRow("Abs(u0)") << "Abs(Symbol('u0', integer=True))"
                                 << "Abs(u0)";
        QTest::newRow("s0/(s1*u0)") << "Mul(Symbol('s0', positive=True, integer=True), Pow(Symbol('s1', positive=True, "
                                       "integer=True), Integer(-1)), Pow(Symbol('u0', integer=True), Integer(-1)))"
                                    << "s0/(s1*u0)";
        QTest::newRow("s0**2/s1**3") << "Mul(Pow(Symbol('s0', positive=True, integer=True), Integer(2)), "
                                        "Pow(Symbol('s1', positive=True, integer=True), Integer(-3)))"
                                     << "s0**2/s1**3";
        QTest::newRow("-s0/2 + s1") << "Add(Mul(Integer(-1), Rational(1, 2), Symbol('s0', positive=True, "
                                       "integer=True)), Symbol('s1', positive=True, integer=True))"
                                    << "-s0/2 + s1";
        QTest::newRow("2*Max(0, s0 - 3)")
            << "Mul(Integer(2), Max(Integer(0), Add(Symbol('s0', positive=True, integer=True), Integer(-3))))"
            << "2*Max(0, s0 - 3)";
        QTest::newRow("3*(s0 + 1)*(s1 + 2)")
            << "Mul(Integer(3), Add(Symbol('s0', positive=True, integer=True), Integer(1)), Add(Symbol('s1', "
               "positive=True, integer=True), Integer(2)))"
            << "3*(s0 + 1)*(s1 + 2)";
        QTest::newRow("s0 - ((s1//2))") << "Add(Symbol('s0', positive=True, integer=True), Mul(Integer(-1), "
                                           "FloorDiv(Symbol('s1', positive=True, integer=True), Integer(2))))"
                                        << "s0 - ((s1//2))";
        QTest::newRow("-((s1//2))")
            << "Mul(Integer(-1), FloorDiv(Symbol('s1', positive=True, integer=True), Integer(2)))"
            << "-((s1//2))";
        QTest::newRow("((s0 + 1)//2)")
            << "FloorDiv(Add(Symbol('s0', positive=True, integer=True), Integer(1)), Integer(2))"
            << "((s0 + 1)//2)";
        QTest::newRow("torch Mod") << "Add(Mod(Symbol('s0', positive=True, integer=True), Integer(3)), Integer(1))"
                                   << "(Mod(s0, 3)) + 1";
        QTest::newRow("not sympy") << "Mul(Integer(2)"
                                   << "Mul(Integer(2)";
        QTest::newRow("empty") << ""
                               << "";
    }
    void constructors_print_asSympyDoes() {
        QFETCH(QString, constructors);
        QFETCH(QString, printed);
        QCOMPARE(QString::fromStdString(fx::sympyText(constructors.toStdString())), printed);
    }
    /// Each part is printed once: with two times for each level, these would never end.
    void nesting_takesNoLongerThanItsText() {
        for (const std::string head : {"Mul(", "Pow(Symbol('s0'), Rational("}) {
            std::string text = "Symbol('s1')", ends = head == "Mul(" ? ", Symbol('s0'))" : "))";
            for (int i = 0; i < 90; ++i) text = head + text + ends;
            QVERIFY(fx::sympyText(text).size() < 10'000);
        }
    }
    void nesting_tooDeep_returnsTheText() {
        std::string deep;
        for (int i = 0; i < 100'000; ++i) deep += "Add(";
        QCOMPARE(fx::sympyText(deep), deep);
    }
};

QTEST_APPLESS_MAIN(TestSympyText)
#include "tst_sympy_text.moc"
