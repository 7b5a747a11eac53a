// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/timing/timing_session.h"

namespace ui {

/// Formats a sweep over batch sizes as readable text, with one line per model and size; empty if none exists.
QString sweepText(const std::vector<SweepPoint>& sweep);
/// Formats a sweep as CSV with a header line: batch, model, median ms, quartiles, items per second, verdict.
QString sweepCsv(const std::vector<SweepPoint>& sweep);
/// Formats `result` (may be null) like `lancet bench --json`, with the sweep as its member "sweep": `[{"batch",
/// "result"}]`.
QString timingJson(const fx::timing::BenchResult* result, const std::vector<SweepPoint>& sweep);
/// Formats items per second: "3.4", "152", "12 400".
QString perSecondText(double items);

} // namespace ui
