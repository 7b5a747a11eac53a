// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/python_text.h"
#include "core/diag/error.h"
#include "core/json/json_document.h"
#include "core/json/json_writer.h"
#include "tests/table_cases.h"

using namespace fx;

namespace {

void write(JsonWriter& out, const JsonValue& value) {
    std::string number;
    switch (value.kind()) {
    case JsonValue::Kind::Null: out.null(); break;
    case JsonValue::Kind::Bool: out.boolean(value.asBool()); break;
    case JsonValue::Kind::Int: out.integer(value.asInt()); break;
    case JsonValue::Kind::BigInt: out.raw(value.digits()); break;
    case JsonValue::Kind::Float: appendPythonFloat(number, value.asDouble()), out.raw(number); break;
    case JsonValue::Kind::String: out.string(value.asText()); break;
    case JsonValue::Kind::Array:
        out.beginArray();
        for (const JsonValue item : value) write(out, item);
        out.endArray();
        break;
    case JsonValue::Kind::Object:
        out.beginObject();
        for (const JsonValue item : value) write(out.key(item.key()), item);
        out.endObject();
        break;
    }
}

/// The document as it is written again, or the column of its error.
std::string writtenAgain(const std::string& line) {
    try {
        JsonWriter out;
        write(out, JsonDocument::parse(line)->root());
        return out.text();
    } catch (const Error& error) { // "byte 3"
        return "column " + std::to_string(std::stoul(error.where.substr(error.where.find(' '))) + 1);
    }
}

} // namespace

/// tests/data/json: documents, and what Python's json reads.
class TestJsonTables : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void document_isReadAsPythonDoes_data() { table::addRows("json", "documents.txt"); }
    void document_isReadAsPythonDoes() {
        QFETCH(const TableCase, given);
        table::compare(given, table::byLine(given, writtenAgain));
    }
};

QTEST_APPLESS_MAIN(TestJsonTables)
#include "tst_json_tables.moc"
