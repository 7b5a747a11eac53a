// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "app/cli/input_options.h"
#include "core/edit/steps/step_list.h"
#include "core/partition/split.h"

namespace app {

/// Runs a model in the worker for `seconds`, and half as long again for its nodes. Returns the milliseconds of its
/// nodes by name. Throws like a run.
fx::NodeTimes measuredTimes(const Session& session, const RunOptions& run, fx::remote::ModelRef model,
                            double seconds = 4);

/// True if a step balances stages by time without `times`.
bool lacksTimes(fx::JsonValue step);

/// Returns the steps with `times` in each step that lacks them, measured on the model after the preceding steps.
fx::StepList stepsWithTimes(const Session& session, const RunOptions& run, const fx::GraphModule& model,
                            const fx::StepList& steps);

} // namespace app
