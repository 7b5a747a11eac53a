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

// Writers and readers of message members by key. Readers throw Error for missing or mistyped members.

namespace fx::remote {

/// Writes a number so that it reads back bit for bit; infinities and NaN are written as strings.
inline void writeReal(JsonWriter& json, double value) {
    std::string text;
    appendPythonFloat(text, value);
    if (std::isfinite(value)) json.raw(text);
    else json.string(text);
}
/// The same for a member of the open object.
inline void writeReal(JsonWriter& json, std::string_view key, double value) { writeReal(json.key(key), value); }
/// Reads what `writeReal` wrote.
inline double realOf(JsonValue value) {
    return value.isString() ? std::strtod(std::string(value.asText()).c_str(), nullptr) : value.asDouble();
}
/// The same for a member of `object`.
inline double readReal(JsonValue object, std::string_view key) { return realOf(object.at(key)); }

/// Writes an array of integers.
inline void writeIntegers(JsonWriter& json, std::string_view key, std::span<const std::int64_t> numbers) {
    json.key(key).beginArray();
    for (const std::int64_t number : numbers) json.integer(number);
    json.endArray();
}
/// Reads an array of integers.
inline std::vector<std::int64_t> readIntegers(JsonValue object, std::string_view key) {
    std::vector<std::int64_t> out;
    for (const JsonValue number : object.at(key).needArray()) out.push_back(number.asInt());
    return out;
}

/// Writes an array of strings.
inline void writeTexts(JsonWriter& json, std::string_view key, std::span<const std::string> texts) {
    json.key(key).beginArray();
    for (const std::string& text : texts) json.string(text);
    json.endArray();
}
/// Reads an array of strings.
inline std::vector<std::string> readTexts(JsonValue object, std::string_view key) {
    std::vector<std::string> out;
    for (const JsonValue text : object.at(key).needArray()) out.emplace_back(text.asText());
    return out;
}
/// Reads a string.
inline std::string readText(JsonValue object, std::string_view key) { return std::string(object.at(key).asText()); }

} // namespace fx::remote
