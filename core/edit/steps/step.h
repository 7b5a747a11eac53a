// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/edit/argument_json.h"
#include "core/edit/steps/step_memory.h"
#include "core/edit/steps/steps.h"
#include "core/make/initial_weights.h"

#include <functional>

namespace fx {

/// A step being applied: access to its keys by name.
struct Step {
    JsonValue json;
    GraphModule& model;
    Warnings& warnings;
    const Progress& progress;
    StepMemory& memory;
    NewWeights weights = NewWeights::Drawn;
    TensorEngine* engine = nullptr; ///< for passes that compute; may be null

    Graph& graph() const { return model.graph; }
    bool has(std::string_view key) const { return json.find(key).exists(); }
    JsonValue at(std::string_view key) const;
    std::string text(std::string_view key) const { return std::string(at(key).asText()); }
    bool flag(std::string_view key) const { return has(key) && at(key).asBool(); }
    NodeId node(std::string_view key) const { return nodeFromJson(at(key), model.graph); }
    Error refused(const Message& what) const { return Error(ErrorKind::Refused, what); }
};

/// A kind of step: its name, its keys (optional ones end with `?`) and its function.
struct StepKind {
    std::string_view name;
    std::vector<std::string_view> keys;
    void (*apply)(const Step& step);
    bool mayMissPaths = false; ///< nonexistent module paths cause a warning instead of a refusal
};
const std::vector<StepKind>& nodeSteps();
const std::vector<StepKind>& moduleSteps();
const std::vector<StepKind>& partitionSteps();

/// Like `applySteps`; calls `note`, unless null, with the model before and after each step.
using NoteStep = std::function<void(const GraphModule& before, const GraphModule& after)>;
EditEffect applyStepsNoting(GraphModule& model, const std::vector<JsonValue>& steps, const NoteStep& note,
                            const Progress& progress, NewWeights weights = NewWeights::Drawn,
                            TensorEngine* engine = nullptr);

/// The step `insert_model`: the nodes of a saved GraphModule, with the modules and tensors that they use (torch.fx
/// `graph_copy`).
void insertModel(const Step& step);

/// The step `quantize`: the model that quantisation made when it ran with the worker. `graph` is its description
/// (docs/ir-format.md), `file` has its tensors; the other keys say how it was made.
void takeQuantised(const Step& step);

/// A module and all paths at which it stands.
struct ModulePlaces {
    const Module* module = nullptr;
    std::vector<std::string> paths;
};
/// The modules of a class ("torch.nn.ReLU"), in the order of the tree, without GraphModules and the root.
std::vector<ModulePlaces> modulesOfClass(const Module& root, std::string_view type);

/// Makes the module that `{"type", "settings", "seed"?}` describes, for a step.
std::shared_ptr<Module> moduleFromJson(const JsonValue& json, const Step& step);

} // namespace fx
