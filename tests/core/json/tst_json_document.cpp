// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/json/json_document.h"

#include <QtTest>

#include <cmath>

using namespace fx;

class TestJsonDocument : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void values_everyKind_readBack();
    void values_ofAnotherKind_errorNamesPathAndKinds();
    void strings_escapesAndSurrogates_decoded();
    void numbers_data();
    void numbers();
    void invalid_data();
    void invalid();
    void depth_beyondLimit_refused();
    void values_tooManyForTheText_refused();
    void position_ofEveryValue_isItsFirstCharacter();
    void find_keyGivenTwice_lastWins();
};

void TestJsonDocument::values_everyKind_readBack() {
    const auto document = JsonDocument::parse(R"( {"a": [1, -2.5, "t", true, false, null, {}], "b": {"c": []}} )");
    const JsonValue root = document->root();
    QCOMPARE(root.size(), 2u);
    std::vector<JsonValue> items;
    for (const JsonValue item : root.at("a")) items.push_back(item);
    QCOMPARE(items.size(), 7u);
    QCOMPARE(items[0].asInt(), 1);
    QCOMPARE(items[1].asDouble(), -2.5);
    QCOMPARE(items[2].asText(), std::string_view("t"));
    QVERIFY(items[3].asBool());
    QVERIFY(!items[4].asBool());
    QVERIFY(items[5].isNull());
    QVERIFY(items[6].isObject());
    QCOMPARE(items[6].size(), 0u);
    QCOMPARE(root.at("b").at("c").size(), 0u);
    QVERIFY(!root.find("z").exists());
    QCOMPARE(root.at("b").at("c").path(), std::string("$.b.c"));
    QCOMPARE(items[6].path(), std::string("$.a[6]"));
}

void TestJsonDocument::values_ofAnotherKind_errorNamesPathAndKinds() {
    const auto document = JsonDocument::parse(R"({"a": [{"x y": 1}]})");
    const JsonValue value = (*document->root().at("a").begin()).at("x y");
    try {
        value.asText();
        QFAIL("not refused");
    } catch (const Error& error) {
        QVERIFY2(error.message().is("json.unexpected_kind"), error.what());
        QCOMPARE(QString(error.what()), QString("expected a string, got an integer"));
        QCOMPARE(QString::fromStdString(error.where), QString("$.a[0][\"x y\"]"));
        QCOMPARE(error.kind(), ErrorKind::File);
    }
    QVERIFY_THROWS_EXCEPTION(Error, document->root().at("b"));
    QVERIFY_THROWS_EXCEPTION(Error, document->root().needArray());
}

void TestJsonDocument::strings_escapesAndSurrogates_decoded() {
    const auto document =
        JsonDocument::parse(R"(["\"\\\/\b\f\n\r\t", "\u00e9\ud83d\ude00é", "a\udc80b", "\ud800\u0041"])");
    std::vector<std::string> texts;
    for (const JsonValue item : document->root()) texts.emplace_back(item.asText());
    QCOMPARE(texts[0], std::string("\"\\/\b\f\n\r\t"));
    QCOMPARE(texts[1], std::string("\xC3\xA9\xF0\x9F\x98\x80\xC3\xA9"));
    QCOMPARE(texts[2], std::string("a\xED\xB2\x80"
                                   "b"));
    QCOMPARE(texts[3], std::string("\xED\xA0\x80"
                                   "A"));
}

void TestJsonDocument::numbers_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<int>("kind");
    QTest::addColumn<double>("value");
    const auto row = [](const char* text, JsonValue::Kind kind, double value) {
        QTest::newRow(text) << QString(text) << static_cast<int>(kind) << value;
    };
    row("0", JsonValue::Kind::Int, 0);
    row("-0", JsonValue::Kind::Int, 0);
    row("-0.0", JsonValue::Kind::Float, -0.0);
    row("1.0", JsonValue::Kind::Float, 1);
    row("1e+16", JsonValue::Kind::Float, 1e16);
    row("9223372036854775807", JsonValue::Kind::Int, 9223372036854775807.0);
    row("9223372036854775808", JsonValue::Kind::BigInt, 9223372036854775808.0);
    row("-123456789012345678901234567890", JsonValue::Kind::BigInt, -123456789012345678901234567890.0);
    row("1e400", JsonValue::Kind::Float, HUGE_VAL);
    row("5e-324", JsonValue::Kind::Float, 5e-324);
}

void TestJsonDocument::numbers() {
    QFETCH(QString, text);
    QFETCH(int, kind);
    QFETCH(double, value);
    const auto document = JsonDocument::parse(text.toStdString());
    QCOMPARE(static_cast<int>(document->root().kind()), kind);
    QVERIFY(document->root().asDouble() == value);
    QCOMPARE(std::signbit(document->root().asDouble()), std::signbit(value));
    if (document->root().kind() == JsonValue::Kind::BigInt)
        QCOMPARE(document->root().digits(), std::string_view(text.toStdString()));
}

void TestJsonDocument::invalid_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QString>("where");
    QTest::newRow("empty") << QByteArray("") << "line 1, column 1";
    QTest::newRow("open array") << QByteArray("[1,\n 2") << "line 2, column 3";
    QTest::newRow("trailing comma") << QByteArray("[1,\n]") << "line 2, column 1";
    QTest::newRow("missing comma") << QByteArray("[1 2]") << "line 1, column 4";
    QTest::newRow("missing colon") << QByteArray("{\"a\" 1}") << "line 1, column 6";
    QTest::newRow("bare key") << QByteArray("{a: 1}") << "line 1, column 2";
    QTest::newRow("single quotes") << QByteArray("['a']") << "line 1, column 2";
    QTest::newRow("leading zero") << QByteArray("[01]") << "line 1, column 2";
    QTest::newRow("plus") << QByteArray("[+1]") << "line 1, column 2";
    QTest::newRow("NaN") << QByteArray("[NaN]") << "line 1, column 2";
    QTest::newRow("half a word") << QByteArray("[tru]") << "line 1, column 2";
    QTest::newRow("no digits") << QByteArray("[1.]") << "line 1, column 4";
    QTest::newRow("escape") << QByteArray("[\"\\x\"]") << "line 1, column 4";
    QTest::newRow("short hex") << QByteArray("[\"\\u12\"]") << "line 1, column 5";
    QTest::newRow("line in string") << QByteArray("[\"a\nb\"]") << "line 1, column 4";
    QTest::newRow("not UTF-8") << QByteArray("[\"\xC3\xA9\xFF\"]") << "line 1, column 4";
    QTest::newRow("rest") << QByteArray("{} x") << "line 1, column 4";
    QTest::newRow("after escapes") << QByteArray("[\"\\n\\u00e9\",\n \"\\t\" 1]") << "line 2, column 7";
    QTest::newRow("open string") << QByteArray("[\"abc") << "line 1, column 2";
}

void TestJsonDocument::invalid() {
    QFETCH(QByteArray, text);
    QFETCH(QString, where);
    try {
        JsonDocument::parse(text.toStdString(), {}, JsonDocument::Positions::Keep);
        QFAIL("not refused");
    } catch (const Error& error) {
        QCOMPARE(QString::fromStdString(error.where), where);
        QCOMPARE(error.kind(), ErrorKind::File);
    }
    try {
        JsonDocument::parse(text.toStdString());
        QFAIL("not refused");
    } catch (const Error& error) { QVERIFY(text.isEmpty() || QString::fromStdString(error.where).startsWith("byte ")); }
}

void TestJsonDocument::depth_beyondLimit_refused() {
    const std::string fits = std::string(JsonDocument::kMaxDepth, '[') + std::string(JsonDocument::kMaxDepth, ']');
    QCOMPARE(JsonDocument::parse(fits)->root().size(), 1u);
    QVERIFY_THROWS_EXCEPTION(Error, JsonDocument::parse("[" + fits + "]"));
    QVERIFY_THROWS_EXCEPTION(Error, JsonDocument::parse(std::string(1'000'000, '[')));
    std::string objects;
    for (int i = 0; i < 100'000; ++i) objects += "{\"a\":";
    QVERIFY_THROWS_EXCEPTION(Error, JsonDocument::parse(objects));
}

void TestJsonDocument::values_tooManyForTheText_refused() {
    std::string text = "[0";
    for (int i = 0; i < 5'000'000; ++i) text += ",0";
    QVERIFY_THROWS_EXCEPTION(Error, JsonDocument::parse(text + "]"));
}

void TestJsonDocument::position_ofEveryValue_isItsFirstCharacter() {
    const std::string text = "{\"a\": [10,\n  \"é\", {\"b\" : true}],\n \"c\":-1.5}";
    const auto document = JsonDocument::parse(text);
    const JsonValue a = document->root().at("a");
    std::vector<std::string> places{JsonDocument::position(text, a.index())};
    for (const JsonValue item : a) places.push_back(JsonDocument::position(text, item.index()));
    places.push_back(JsonDocument::position(text, document->root().at("c").index()));
    const std::vector<std::string> expected = {"line 1, column 7", "line 1, column 8", "line 2, column 3",
                                               "line 2, column 8", "line 3, column 6"};
    QCOMPARE(places, expected);
}

void TestJsonDocument::find_keyGivenTwice_lastWins() {
    const auto document = JsonDocument::parse(R"({"a": 1, "a": 2})");
    QCOMPARE(document->root().at("a").asInt(), 2);
}

QTEST_APPLESS_MAIN(TestJsonDocument)
#include "tst_json_document.moc"
