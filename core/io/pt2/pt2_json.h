// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/json/json_document.h"
#include "core/json/json_writer.h"

#include <unordered_map>

namespace fx {

/// Old name of a value -> new name.
using Pt2Renames = std::unordered_map<std::string, std::string>;

/// Copies a value of a document, including unknown keys; the document bounds the nesting. With `renames`, names of
/// values (the members `name` and `as_name`) are replaced.
void copyJson(JsonWriter& json, JsonValue value, const Pt2Renames* renames = nullptr);

/// The text of a float: numbers as Python writes them, and "Infinity", "-Infinity", "NaN", as in .pt2 files.
void writePt2Float(JsonWriter& json, double value);

} // namespace fx
