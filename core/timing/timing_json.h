// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/json/json_document.h"
#include "core/json/json_writer.h"
#include "core/timing/timing_result.h"

namespace fx::timing {

/// Returns the result as printed by `lancet bench --json` and sent by the worker. The member `nodes` is the first
/// report; `reports` has all.
std::string toJson(const BenchResult& result);
/// Writes the same to `json`.
void write(JsonWriter& json, const BenchResult& result);
/// Reads the output of `write`. Throws Error{File}.
BenchResult readBenchResult(const JsonValue& json);

/// Returns the times of nodes as CSV with a header line: node, op, target, ms, share, flops, bytes, ceiling share,
/// implementations.
std::string toCsv(const NodeReport& report);

} // namespace fx::timing
