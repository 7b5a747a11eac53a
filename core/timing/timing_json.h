// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/json/json_document.h"
#include "core/json/json_writer.h"
#include "core/timing/timing_result.h"

namespace fx::timing {

/// The result as printed by `lancet bench --json` and sent by the worker. `nodes` are those of the first report;
/// `reports` has all.
std::string toJson(const BenchResult& result);
void write(JsonWriter& json, const BenchResult& result);
/// Reads the output of `write`. Throws Error{File}.
BenchResult readBenchResult(const JsonValue& json);

/// Timings of nodes as CSV with a header line: node, op, target, ms, share, flops, bytes, ceiling share,
/// implementations.
std::string toCsv(const NodeReport& report);

} // namespace fx::timing
