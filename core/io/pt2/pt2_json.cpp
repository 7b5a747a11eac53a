// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/pt2/pt2_json.h"

#include "core/base/python_text.h"

#include <cmath>

namespace fx {
namespace {

void copyText(JsonWriter& json, JsonValue value, bool isName, const Pt2Renames* renames) {
    if (isName && renames)
        if (const auto found = renames->find(std::string(value.asText())); found != renames->end()) {
            json.string(found->second);
            return;
        }
    json.string(value.asText());
}

void copyNumber(JsonWriter& json, double value) {
    if (std::isinf(value)) { // JSON has no infinity; this is read as one
        json.raw(value < 0 ? "-1e999" : "1e999");
        return;
    }
    std::string text;
    appendPythonFloat(text, value);
    json.raw(text);
}

} // namespace

void copyJson(JsonWriter& json, JsonValue value, const Pt2Renames* renames) {
    switch (value.kind()) {
    case JsonValue::Kind::Null: json.null(); return;
    case JsonValue::Kind::Bool: json.boolean(value.asBool()); return;
    case JsonValue::Kind::Int: json.integer(value.asInt()); return;
    case JsonValue::Kind::BigInt: json.raw(value.digits()); return;
    case JsonValue::Kind::Float: copyNumber(json, value.asDouble()); return;
    case JsonValue::Kind::String: json.string(value.asText()); return;
    case JsonValue::Kind::Array:
        json.beginArray();
        for (const JsonValue item : value) copyJson(json, item, renames);
        json.endArray();
        return;
    case JsonValue::Kind::Object:
        json.beginObject();
        for (const JsonValue member : value) {
            json.key(member.key());
            const bool isName = member.isString() && (member.key() == "name" || member.key() == "as_name" ||
                                                      member.key() == "user_input_name");
            isName ? copyText(json, member, true, renames) : copyJson(json, member, renames);
        }
        json.endObject();
    }
}

void writePt2Float(JsonWriter& json, double value) {
    if (std::isnan(value)) json.string("NaN");
    else if (std::isinf(value)) json.string(value < 0 ? "-Infinity" : "Infinity");
    else copyNumber(json, value);
}

} // namespace fx
