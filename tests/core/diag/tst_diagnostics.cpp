// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/diag/error.h"
#include "core/diag/sides.h"
#include "core/json/message_json.h"

#include <QTest>

using namespace fx;

namespace {

QString text(const std::string& from) { return QString::fromStdString(from); }

} // namespace

/// Messages: a code, arguments, and the text that the tables make of them.
class TestDiagnostics : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void text_hasArgumentsAndWordsThatFitTheNumber_data() {
        QTest::addColumn<int>("count");
        QTest::addColumn<QString>("expected");
        QTest::newRow("one") << 1 << "1 node";
        QTest::newRow("none") << 0 << "0 nodes";
        QTest::newRow("many") << 7 << "7 nodes";
    }
    void text_hasArgumentsAndWordsThatFitTheNumber() {
        QFETCH(int, count);
        QFETCH(QString, expected);
        QCOMPARE(text(formatted("{count} {count|node|nodes}", {{"count", count}})), expected);
    }

    void text_groupsDigits() {
        QCOMPARE(text(formatted("{few,} of {many,}, {many}", {{"few", 25}, {"many", 1234567}})),
                 QString("25 of 1,234,567, 1234567"));
        QCOMPARE(text(formatted("{a, b} and {name,}", {{"a", 1}, {"name", "x"}})), QString("{a, b} and x"));
    }

    void text_keepsOtherBraces() {
        QCOMPARE(text(formatted(R"(expected {"any": [...]} or {what}, {)", {{"what", "a {b}"}})),
                 QString(R"(expected {"any": [...]} or a {b}, {)"));
    }

    void error_hasTextAndHintOfItsCode() {
        const Error error(ErrorKind::Cancelled, Message("app.cancelled"));
        QCOMPARE(QString(error.what()), QString("cancelled"));
        QVERIFY(error.message().is("app.cancelled"));
        QVERIFY(error.hint.empty());
    }

    void received_unknownCode_keepsTheTextItCameWith() {
        const Message message = Message::received("future.code", {{"n", 3}}, "as it was told");
        QCOMPARE(text(message.text()), QString("as it was told"));
        QCOMPARE(text(message.code()), QString("future.code"));
        QCOMPARE(text(message.argument("n")), QString("3"));
        QVERIFY(message.argument("m").empty());
    }

    void sides_haveTheNamesThatAreAskedFor_alsoInMessagesInside() {
        const Message inner("verify.sides", {{"a", "in A"}, {"b", "of B"}});
        const Message path =
            containing(Message("verify.at_path", {{"path", "[0]"}, {"difference", inner.text()}}), "difference", inner);
        const Message whole =
            containing(Message("verify.other_structure", {{"difference", path.text()}}), "difference", path);
        QCOMPARE(text(whole.text()), QString("the output: [0]: in A in A, of B in B"));
        QCOMPARE(text(textWith(whole, {"the first", "the second"})),
                 QString("the output: [0]: in A in the first, of B in the second"));
        QCOMPARE(text(whole.argument("difference.difference.code")), QString("verify.sides"));
    }
    /// A text that names an argument twice would double with each message inside.
    void messagesInMessages_ofAFile_areBounded() {
        MessageArguments arguments{{"path", "p"}};
        std::string name = "other";
        for (int i = 0; i < 40; ++i, name += ".other") {
            arguments.emplace_back(name, "x");
            arguments.emplace_back(name + ".code", "edit.split_module");
            arguments.emplace_back(name + ".path", std::string(20'000, 'y'));
        }
        for (const char* code : {"edit.untied", "edit.split_module"})
            QVERIFY(Message::received(code, arguments, {}).text().size() < 4'000'000);
    }
    void sides_ofAnUnknownCode_keepTheText() {
        QCOMPARE(text(textWith(Message::received("future.code", {}, "3 in A"), {"x", "y"})), QString("3 in A"));
    }

    void json_givesTheMessageBack() {
        const Message sent = Message::received("future.code", {{"n", -3}, {"name", "a\"b"}}, "text");
        JsonWriter json;
        json.beginObject().key("what").string(sent.text());
        writeMessageData(json, sent);
        json.endObject();
        const auto document = JsonDocument::parse(json.text());
        QVERIFY(readMessage(document->root(), "what") == sent);
    }

    void json_withoutCode_isTheTextAlone() {
        const auto document = JsonDocument::parse(R"({"what": "old"})");
        const Message message = readMessage(document->root(), "what");
        QCOMPARE(text(message.text()), QString("old"));
        QVERIFY(message.code().empty());
    }
};
QTEST_APPLESS_MAIN(TestDiagnostics)
#include "tst_diagnostics.moc"
