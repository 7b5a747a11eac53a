// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/json/json_document.h"
#include "core/json/json_writer.h"

#include <unordered_map>

namespace fx {

/// Old name of a value -> new name.
using Pt2Renames = std::unordered_map<std::string, std::string>;

/// Writes a value of a document as it is, unknown keys included; the document bounds the nesting. With `renames`, names
/// of values (the members `name` and `as_name`) become what the map says.
void copyJson(JsonWriter& json, JsonValue value, const Pt2Renames* renames = nullptr);

/// The text of a float: numbers as Python writes them, and "Infinity", "-Infinity", "NaN", as .pt2 files have them.
void writePt2Float(JsonWriter& json, double value);

} // namespace fx
