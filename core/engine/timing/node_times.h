// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"
#include "core/engine/interpreter.h"
#include "core/timing/measure.h"

namespace fx::engine {

/// Returns a timing subject that runs a model. It copies the inputs before the clock starts. The interpreter must
/// outlive it.
timing::Subject subjectOf(Interpreter& interpreter, RunInputs inputs);

/// Measures the time of each node for `seconds`.
///
/// Timed runs alternate with untimed runs. The clock is read once per node: a node lasts until the next one starts, so
/// its time includes freeing values. Both times are means over the fastest third of the runs, since interruptions only
/// add time; node times therefore add up to the whole. A final untimed run records the oneDNN and MKL calls of each
/// node; FLOPs and bytes follow from its shapes. Reports progress from `begin` to `end`. Throws Error{Cancelled}
/// between runs, and errors of the model.
timing::NodeReport timeNodes(Interpreter& interpreter, const RunInputs& inputs, double seconds,
                             const Progress& progress, double begin = 0, double end = 1);

} // namespace fx::engine
