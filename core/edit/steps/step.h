// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/edit/argument_json.h"
#include "core/edit/steps/step_memory.h"
#include "core/edit/steps/steps.h"
#include "core/make/initial_weights.h"

#include <functional>

namespace fx {

/// A step being applied, with access to its keys by name.
struct Step {
    JsonValue json;     ///< the step object
    GraphModule& model; ///< changed in place
    Warnings& warnings;
    const Progress& progress;
    StepMemory& memory;                     ///< shared by the steps of one run
    NewWeights weights = NewWeights::Drawn; ///< ShapesOnly for previews
    TensorEngine* engine = nullptr;         ///< for passes that compute tensors; may be null
    const Readers& readers;                 ///< for patterns and passes in Python

    /// The graph of the model.
    Graph& graph() const { return model.graph; }
    /// True if the step has this key.
    bool has(std::string_view key) const { return json.find(key).exists(); }
    /// The value of a key; throws Error{Refused} if it is missing.
    JsonValue at(std::string_view key) const;
    /// A string value.
    std::string text(std::string_view key) const { return std::string(at(key).asText()); }
    /// A boolean value; false if the key is missing.
    bool flag(std::string_view key) const { return has(key) && at(key).asBool(); }
    /// The node that a key names; throws Error{Refused} if it is unknown.
    NodeId node(std::string_view key) const { return nodeFromJson(at(key), model.graph); }
    /// Returns an Error{Refused}.
    Error refused(const Message& what) const { return Error(ErrorKind::Refused, what); }
};

/// A kind of step: its name, its keys (optional ones end with `?`) and its function.
struct StepKind {
    std::string_view name;              ///< value of the key "step"
    std::vector<std::string_view> keys; ///< without "step"
    void (*apply)(const Step& step);    ///< throws Error{Refused}; the model may then be partially changed
    bool mayMissPaths = false;          ///< nonexistent module paths cause a warning instead of a refusal
};
/// The steps that edit nodes.
const std::vector<StepKind>& nodeSteps();
/// The steps that edit modules.
const std::vector<StepKind>& moduleSteps();
/// The steps that partition and inline.
const std::vector<StepKind>& partitionSteps();

/// Called with the model before and after each step.
using NoteStep = std::function<void(const GraphModule& before, const GraphModule& after)>;
/// As `applySteps`; calls `note` unless it is null.
EditEffect applyStepsNoting(GraphModule& model, const StepList& steps, const NoteStep& note, const Progress& progress,
                            NewWeights weights = NewWeights::Drawn, TensorEngine* engine = nullptr,
                            const Readers& readers = {});

/// Applies the step `insert_model`: inserts the nodes of a saved GraphModule, with the modules and tensors that they
/// use. Mirrors torch.fx's `graph_copy`.
void insertModel(const Step& step);

/// Applies the step `quantize`: replaces the model by the stored result of a quantisation by the worker. The key
/// `graph` has its description (docs/ir-format.md), `file` its tensors; the other keys document its settings.
void takeQuantised(const Step& step);

/// A module and all its paths.
struct ModulePlaces {
    const Module* module = nullptr;
    std::vector<std::string> paths; ///< at least one
};
/// Returns the modules of a class ("torch.nn.ReLU") in tree order, without GraphModules and the root.
std::vector<ModulePlaces> modulesOfClass(const Module& root, std::string_view type);

/// Creates the module that `{"type", "settings", "seed"?}` describes.
std::shared_ptr<Module> moduleFromJson(const JsonValue& json, const Step& step);

} // namespace fx
