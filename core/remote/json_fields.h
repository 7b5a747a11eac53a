// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/base/python_text.h"
#include "core/diag/error.h"
#include "core/json/json_document.h"
#include "core/json/json_writer.h"

#include <cmath>
#include <cstdlib>
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

/// Reads a string.
inline std::string readText(JsonValue object, std::string_view key) { return std::string(object.at(key).asText()); }

} // namespace fx::remote
