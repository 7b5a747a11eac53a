// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/base/python_text.h"
#include "core/diag/error.h"
#include "core/json/json_document.h"
#include "core/json/json_writer.h"

#include <cmath>
#include <cstdlib>
#include <span>
#include <string>
#include <vector>

// Members of messages: writers and readers by key.

namespace fx::remote {

/// Writes a number so that it reads back bit for bit; numbers that JSON lacks are written as strings.
inline void writeReal(JsonWriter& json, double value) {
    std::string text;
    appendPythonFloat(text, value);
    if (std::isfinite(value)) json.raw(text);
    else json.string(text);
}
inline void writeReal(JsonWriter& json, std::string_view key, double value) { writeReal(json.key(key), value); }
inline double realOf(JsonValue value) {
    return value.isString() ? std::strtod(std::string(value.asText()).c_str(), nullptr) : value.asDouble();
}
inline double readReal(JsonValue object, std::string_view key) { return realOf(object.at(key)); }

inline void writeIntegers(JsonWriter& json, std::string_view key, std::span<const std::int64_t> numbers) {
    json.key(key).beginArray();
    for (const std::int64_t number : numbers) json.integer(number);
    json.endArray();
}
inline std::vector<std::int64_t> readIntegers(JsonValue object, std::string_view key) {
    std::vector<std::int64_t> out;
    for (const JsonValue number : object.at(key).needArray()) out.push_back(number.asInt());
    return out;
}

inline void writeTexts(JsonWriter& json, std::string_view key, std::span<const std::string> texts) {
    json.key(key).beginArray();
    for (const std::string& text : texts) json.string(text);
    json.endArray();
}
inline std::vector<std::string> readTexts(JsonValue object, std::string_view key) {
    std::vector<std::string> out;
    for (const JsonValue text : object.at(key).needArray()) out.emplace_back(text.asText());
    return out;
}
inline std::string readText(JsonValue object, std::string_view key) { return std::string(object.at(key).asText()); }

inline void writeWarnings(JsonWriter& json, const Warnings& warnings) {
    json.key("warnings").beginArray();
    for (const Warning& warning : warnings)
        json.beginObject()
            .key("what")
            .string(warning.what)
            .key("node")
            .string(warning.node)
            .key("module_path")
            .string(warning.modulePath)
            .key("where")
            .string(warning.where)
            .endObject();
    json.endArray();
}
inline Warnings readWarnings(JsonValue object) {
    Warnings out;
    for (const JsonValue warning : object.at("warnings").needArray())
        out.push_back({readText(warning, "what"), readText(warning, "node"), readText(warning, "module_path"),
                       readText(warning, "where")});
    return out;
}

} // namespace fx::remote
