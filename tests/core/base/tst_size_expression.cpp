// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/size_expression.h"

#include <QTest>

using namespace fx;

namespace {

/// With s0 = 9 and s1 = 4; "?": no value.
std::string computed(const std::string& text) {
    const auto expression = SizeExpression::parse(text);
    if (!expression) return "not arithmetic";
    const auto value = expression->value([](std::string_view symbol) -> std::optional<std::int64_t> {
        if (symbol == "s0") return 9;
        return symbol == "s1" ? std::optional<std::int64_t>(4) : std::nullopt;
    });
    return value ? std::to_string(*value) : "?";
}

} // namespace

class TestSizeExpression : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void value_isThatOfTheText_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("value");
        const std::pair<const char*, const char*> cases[] = {{"7", "7"},
                                                             {"2*s0 - 1", "17"},
                                                             {"s0*s1 + 3*s0", "63"},
                                                             {"(((s0 - 1)//2)) + 1", "5"},
                                                             {"((-s0)//2)", "-5"},
                                                             {"s0**2 - s1", "77"},
                                                             {"Min(3, 3*s1)", "3"},
                                                             {"Max(1, s0, s1)", "9"},
                                                             {"Mod(s0, s1)", "1"},
                                                             {"s1/2", "2"},
                                                             {"s0 >= 10", "0"},
                                                             {"Eq(s1, 4)", "1"},
                                                             {"s0/2", "?"},
                                                             {"s9", "?"},
                                                             {"floor(s0, 2)", "?"},
                                                             {"s0//0", "?"},
                                                             {"s0**64", "?"},
                                                             {"9223372036854775807 + s0", "?"},
                                                             {"", "not arithmetic"},
                                                             {"s0 +", "not arithmetic"},
                                                             {"(s0", "not arithmetic"},
                                                             {"2s0", "not arithmetic"},
                                                             {"s0 s1", "not arithmetic"}};
        for (const auto& [text, value] : cases) QTest::newRow(text) << QString(text) << QString(value);
    }
    void value_isThatOfTheText() {
        QFETCH(QString, text);
        QFETCH(QString, value);
        QCOMPARE(QString::fromStdString(computed(text.toStdString())), value);
    }

    void constructors_areThoseOfSympy() {
        const auto expression = SizeExpression::parse("2*s0 - ((s1 - 1)//6)");
        QVERIFY(expression);
        QCOMPARE(expression->constructors([](const std::string& name) { return "Symbol('" + name + "')"; }),
                 std::string("Add(Mul(Integer(2), Symbol('s0')), Mul(Integer(-1), FloorDiv(Add(Symbol('s1'), "
                             "Integer(-1)), Integer(6))))"));
        int symbols = 0;
        expression->forEachSymbol([&](const std::string&) { ++symbols; });
        QCOMPARE(symbols, 2);
    }

    void nestedAndLongTexts_areNotParsed() {
        QCOMPARE(computed(std::string(50'000, '(') + "s0" + std::string(50'000, ')')), std::string("not arithmetic"));
        QCOMPARE(computed(std::string(50'000, '-') + "s0"), std::string("not arithmetic"));
        std::string sum = "s0";
        for (int i = 0; i < 50'000; ++i) sum += " + 1";
        QCOMPARE(computed(sum), std::string("not arithmetic"));
    }
};

QTEST_GUILESS_MAIN(TestSizeExpression)
#include "tst_size_expression.moc"
