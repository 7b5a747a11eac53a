// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"
#include "core/edit/steps/step_list.h"
#include "core/io/readers.h"
#include "core/json/json_document.h"
#include "core/make/initial_weights.h"
#include "core/module/graph_module.h"

namespace fx {

class StepMemory;
class TensorEngine;

/// The effect of steps on nodes. Ids are stable, so a node has the same id before and after.
struct EditEffect {
    std::vector<NodeId> created, changed; ///< in the order of the new graph
    std::vector<NodeId> erased;           ///< in the order of the old one
    Warnings warnings;                    ///< warnings of the steps
};

/// Applies one step (docs/cli/edit.md, "Steps": `{"step": "erase", "node": "relu"}`) with torch.fx's exact effect.
/// Throws Error{Refused} when torch.fx would raise or when a key is unknown; `model` may then be partially changed.
/// Consecutive steps on one model are faster with a common `memory`.
void applyStep(GraphModule& model, const JsonValue& step, Warnings& warnings, const Progress& progress = {},
               NewWeights weights = NewWeights::Drawn, StepMemory* memory = nullptr, TensorEngine* engine = nullptr,
               const Readers& readers = {});

/// Applies steps in order and lints the result; changes nothing on failure. Throws Error{Refused} with the failing
/// step. Passes that compute tensors are refused without an `engine`. `readers` follow patterns and passes in Python.
EditEffect applySteps(GraphModule& model, const StepList& steps, const Progress& progress = {},
                      TensorEngine* engine = nullptr, const Readers& readers = {});

/// Returns the difference between `before` and its edited version `after`. Linear.
EditEffect compareVersions(const Graph& before, const Graph& after);

/// Returns the names of all steps.
std::vector<std::string_view> stepNames();

} // namespace fx
