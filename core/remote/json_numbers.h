// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/base/json_writer.h"
#include "core/base/python_text.h"
#include "core/io/json/json_document.h"

#include <cmath>
#include <cstdlib>

namespace fx::remote {

/// Numbers as text of JSON that gives the same bits again; those that JSON lacks as strings.
inline void writeReal(JsonWriter& json, double value) {
    std::string text;
    appendPythonFloat(text, value);
    if (std::isfinite(value)) json.raw(text);
    else json.string(text);
}
inline double realOf(JsonValue value) { return value.isString() ? std::strtod(std::string(value.asText()).c_str(), nullptr) : value.asDouble(); }

} // namespace fx::remote
