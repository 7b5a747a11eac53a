// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/json/json_writer.h"

#include <QTest>

using fx::JsonWriter;

class TestJsonWriter : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void containers_inlineAndLines_areSeparatedAndIndented() {
        JsonWriter json;
        json.beginObject(JsonWriter::Layout::Lines).key("a").beginArray().integer(-1).null().boolean(true).endArray();
        json.key("b")
            .beginArray(JsonWriter::Layout::Lines)
            .beginObject()
            .key("c")
            .raw("123456789012345678901234567890")
            .endObject();
        json.string("x").endArray().key("d").beginArray(JsonWriter::Layout::Lines).endArray().endObject();
        QCOMPARE(json.text(),
                 std::string("{\n  \"a\": [-1, null, true],\n  \"b\": [\n    {\"c\": 123456789012345678901234567890},\n"
                             "    \"x\"\n  ],\n  \"d\": []\n}"));
    }

    void string_anyBytes_isValidJson_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("json");
        QTest::newRow("plain") << QByteArray("relu_1") << QByteArray("\"relu_1\"");
        QTest::newRow("quotes") << QByteArray("a\"b\\c") << QByteArray("\"a\\\"b\\\\c\"");
        QTest::newRow("controls") << QByteArray("\n\r\t\x01\x7f", 5) << QByteArray("\"\\n\\r\\t\\u0001\\u007f\"");
        QTest::newRow("NUL") << QByteArray("a\0b", 3) << QByteArray("\"a\\u0000b\"");
        QTest::newRow("UTF-8") << QByteArray("é×😀") << QByteArray("\"é×😀\"");
        QTest::newRow("surrogate") << QByteArray("\xED\xA0\x81") << QByteArray("\"\\ud801\"");
        QTest::newRow("no UTF-8") << QByteArray("\xFF\xC3") << QByteArray("\"\xEF\xBF\xBD\xEF\xBF\xBD\"");
    }
    void string_anyBytes_isValidJson() {
        QFETCH(QByteArray, text);
        QFETCH(QByteArray, json);
        JsonWriter writer;
        writer.string({text.constData(), static_cast<std::size_t>(text.size())});
        QCOMPARE(QByteArray::fromStdString(writer.text()), json);
    }
};

QTEST_APPLESS_MAIN(TestJsonWriter)
#include "tst_json_writer.moc"
