// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/json/json_writer.h"
#include "core/module/graph_module.h"

#include <string>
#include <utility>
#include <vector>

namespace app {

/// Labels with their texts, each on one line.
using Facts = std::vector<std::pair<std::string, std::string>>;

/// Returns the answer of `info` as text.
Facts modelFacts(const fx::GraphModule& module);
std::string factsJson(const fx::GraphModule& module); ///< Returns the answer of `info --json`.
/// Writes `"name": {"tensors": , "elements": , "bytes": }`.
void writeTotals(fx::JsonWriter& json, const char* name, const fx::TensorTotals& totals);

} // namespace app
