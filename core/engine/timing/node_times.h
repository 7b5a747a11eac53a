// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"
#include "core/engine/interpreter.h"
#include "core/timing/session.h"

namespace fx::engine {

/// The model as something to time: each call runs it on copies of the inputs, which are made before the clock starts.
/// The interpreter must outlive it.
timing::Subject subjectOf(Interpreter& interpreter, RunInputs inputs);

/// Where the time of a model goes, node by node, for `seconds`.
///
/// Runs whose nodes are timed take turns with runs that nothing looks at. One look at the clock a node: a node lasts
/// from its start to the start of the next, so that what is freed after it counts for it and nothing is left out. Both
/// are told as the mean over the fastest third of their runs by whole time, since what interrupts a run only ever adds;
/// nodes so add up to the whole. Afterwards, in a run that is not timed, what oneDNN and MKL ran is taken down node by
/// node, and what nodes compute and move follows from the shapes seen in it. Throws Error{Cancelled} between runs, and
/// what the model throws.
timing::NodeReport timeNodes(Interpreter& interpreter, const RunInputs& inputs, double seconds,
                             const Progress& progress = {});

/// How near each node comes to what the machine can do (the roofline model, Williams 2009).
void applyCeiling(timing::NodeReport& report, const timing::Ceiling& ceiling);

} // namespace fx::engine
