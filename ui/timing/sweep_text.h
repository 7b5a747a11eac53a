// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/timing/timing_session.h"

namespace ui {

/// A sweep over batch sizes as readable text, with one line per model and size; empty if there is none.
QString sweepText(const std::vector<SweepPoint>& sweep);
/// As CSV with a header line: batch, model, median ms, quartiles, items per second, verdict.
QString sweepCsv(const std::vector<SweepPoint>& sweep);
/// The output of `lancet bench --json` for `result` (may be null), with the sweep as its member "sweep": `[{"batch",
/// "result"}]`.
QString timingJson(const fx::timing::BenchResult* result, const std::vector<SweepPoint>& sweep);
/// "3.4", "152", "12 400": items per second.
QString perSecondText(double items);

} // namespace ui
