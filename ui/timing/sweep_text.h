// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/timing/timing_session.h"

namespace ui {

/// A sweep over batch sizes as people read it, a line for each model at each size; empty: there is none.
QString sweepText(const std::vector<SweepPoint>& sweep);
/// As CSV with a header line: batch, model, median ms, quartiles, items per second, verdict.
QString sweepCsv(const std::vector<SweepPoint>& sweep);
/// What `lancet bench --json` prints of `result` (may be null), with the sweep as its member "sweep": `[{"batch",
/// "result"}]`.
QString timingJson(const fx::timing::BenchResult* result, const std::vector<SweepPoint>& sweep);
/// "3.4", "152", "12 400": items a second.
QString perSecondText(double items);

} // namespace ui
