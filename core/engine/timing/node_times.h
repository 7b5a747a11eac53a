// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"
#include "core/engine/interpreter.h"
#include "core/timing/session.h"

namespace fx::engine {

/// A model as a timing subject: each call runs it on copies of the inputs, which are made before the clock starts.
/// The interpreter must outlive it.
timing::Subject subjectOf(Interpreter& interpreter, RunInputs inputs);

/// Measures the time of each node for `seconds`.
///
/// Timed runs alternate with untimed runs. The clock is read once per node: a node lasts until the next one starts, so
/// that freeing values is included. Both times are means over the fastest third of the runs, since interruptions only
/// add time; the nodes therefore add up to the whole. Reports as a part of the work, from `begin` to `end`. A final
/// untimed run records what oneDNN and MKL ran for each node; FLOPs and bytes follow from the shapes seen in it. Throws
/// Error{Cancelled} between runs, and errors of the model.
timing::NodeReport timeNodes(Interpreter& interpreter, const RunInputs& inputs, double seconds,
                             const Progress& progress, double begin = 0, double end = 1);

/// Computes each node's share of the machine's ceiling (the roofline model, Williams 2009).
void applyCeiling(timing::NodeReport& report, const timing::Ceiling& ceiling);

} // namespace fx::engine
