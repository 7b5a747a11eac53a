// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/json/json_document.h"
#include "core/json/json_writer.h"

#include <unordered_map>

namespace fx {

/// Maps old names of values to new names.
using Pt2Renames = std::unordered_map<std::string, std::string>;

/// Copies a value of a document, including unknown keys; the document bounds the nesting. `renames` replaces names of
/// values (the members `name` and `as_name`).
void copyJson(JsonWriter& json, JsonValue value, const Pt2Renames* renames = nullptr);

/// Writes a float as .pt2 files do: numbers in Python's format, and "Infinity", "-Infinity", "NaN".
void writePt2Float(JsonWriter& json, double value);

} // namespace fx
