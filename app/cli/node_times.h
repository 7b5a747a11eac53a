// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "app/cli/input_options.h"
#include "core/partition/split.h"

namespace app {

/// Runs a model in the worker for `seconds`, and half as long again for its nodes, and gives the milliseconds of its
/// nodes, by name. Errors as those of a run.
fx::NodeTimes measuredTimes(const Session& session, const RunOptions& run, fx::remote::ModelRef model,
                            double seconds = 4);

/// Whether a step balances stages by time and brings no `times`.
bool lacksTimes(fx::JsonValue step);

/// The steps, with `times` in each one that lacks them, measured on what the steps before make of the model.
std::shared_ptr<const fx::JsonDocument> stepsWithTimes(const Session& session, const RunOptions& run,
                                                       const fx::GraphModule& model,
                                                       const std::vector<fx::JsonValue>& steps);

} // namespace app
