// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"
#include "core/json/json_document.h"
#include "core/make/initial_weights.h"
#include "core/module/graph_module.h"

namespace fx {

class StepMemory;
class TensorEngine;

/// The effect of steps on nodes, by id; a node keeps its id.
struct EditEffect {
    std::vector<NodeId> created, changed; ///< in the order of the new graph
    std::vector<NodeId> erased;           ///< in the order of the old one
    Warnings warnings;
};

/// Applies one step (docs/cli.md, "Steps": `{"step": "erase", "node": "relu"}`) with torch.fx's exact effect. Throws
/// Error{Refused} when torch.fx would raise or when a key is unknown; `model` may then be half changed.
/// Steps that follow each other on one model are faster with a common `memory`.
void applyStep(GraphModule& model, const JsonValue& step, Warnings& warnings, const Progress& progress = {},
               NewWeights weights = NewWeights::Drawn, StepMemory* memory = nullptr, TensorEngine* engine = nullptr);

/// Applies steps in order and lints the result; changes nothing on failure. Throws Error{Refused} with the failing
/// step. `engine`: for passes that compute tensors, which are refused without one.
EditEffect applySteps(GraphModule& model, const std::vector<JsonValue>& steps, const Progress& progress = {},
                      TensorEngine* engine = nullptr);

/// The difference between `before` and its edited version `after`. Linear.
EditEffect compareVersions(const Graph& before, const Graph& after);

/// The names of all steps.
std::vector<std::string_view> stepNames();

} // namespace fx
