// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"

#include <memory>
#include <string>
#include <vector>

namespace fx {

/// The mode in which a model runs.
enum class RunMode : std::uint8_t {
    AsSaved, ///< the mode that each module has
    Train,   ///< as after `model.train()`
    Eval,    ///< as after `model.eval()`
};

/// Returns a copy of the model with the `training` of all modules set. Shares tensors, and keeps which modules have
/// several names.
std::shared_ptr<GraphModule> inMode(const GraphModule& model, bool training);

/// Returns "train" or "eval", the mode of the root.
const char* modeName(const GraphModule& model);

/// Returns the warnings about the mode in which the results of a model arise. `AsSaved`: what runs in training mode and
/// computes different values in evaluation mode. Otherwise: calls that keep a fixed mode, because it is an
/// argument in the graph, or because they are parts of a script.
Warnings modeWarnings(const GraphModule& model, RunMode mode);

/// Returns true if a part of the model that is in evaluation mode computes different values in training mode.
bool trainingChanges(const GraphModule& model);

/// True for the messages of `modeWarnings`.
bool isModeWarning(const Message& message);

} // namespace fx
