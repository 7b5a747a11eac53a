// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/quant/quantise.h"

#include "core/module/computed_reads.h"
#include "core/module/module_editor.h"
#include "core/passes/graph_tensors.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace fx::quant {
namespace {

/// The modules that torch.fx makes for the inner parts of a path are in training mode whatever the model is in, and
/// compute nothing.
bool isContainer(const Module& module) {
    return module.classModule == "torch.nn.modules.module" && module.className == "Module";
}

/// Returns whether a module that computes was in the other mode.
bool setTraining(GraphModule& model, bool trains) {
    std::vector<std::string> others;
    bool computes = false;
    forEachModule(*model.root, [&](const std::string& path, const Module& module) {
        if (module.training == trains) return;
        others.push_back(path);
        computes = computes || !isContainer(module);
    });
    ModuleEditor editor(model);
    for (const std::string& path : others)
        if (Module* module = editor.writable(path)) module->training = trains;
    return computes;
}

} // namespace

GraphModule inModeFor(const GraphModule& model, Mode mode, Warnings& warnings) {
    const bool trains = mode == Mode::Qat;
    GraphModule result = model;
    if (!setTraining(result, trains)) return result;
    // A source is as its constructor left it: only a file tells which mode was meant.
    if (model.format != Format::Python)
        warnings.push_back({trains ? Message("quant.was_eval") : Message("quant.was_training"), {}, {}, {}});
    return result;
}

GraphModule withComputedConstants(const GraphModule& model, QuantEngine& engine) {
    std::vector<std::string> computed;
    PathResolver paths(*model.root);
    for (const std::string& path : neededPaths(model.graph, *model.root))
        if (!computedReads(paths, path, paths.resolve(path).tensor).paths.empty()) computed.push_back(path);
    if (computed.empty()) return model;
    GraphModule asked = model; // with its root: what the constants read is there
    asked.graph = Graph();
    std::vector<Argument> all;
    for (const std::string& path : computed) all.emplace_back(asked.graph.createNode(Op::GetAttr, path));
    asked.graph.output(Argument::tuple(all));
    const std::vector<ValueTree> values = engine.values(asked);
    GraphModule result = model;
    ModuleEditor editor(result);
    std::unordered_map<const TensorRef*, TensorPtr> made; // several paths may be of one tensor
    for (std::size_t i = 0; i < computed.size() && i < values.size(); ++i)
        if (values[i].tensor)
            setTensor(editor, computed[i],
                      made.emplace(paths.resolve(computed[i]).tensor.get(), values[i].tensor).first->second);
    return result;
}

bool quantisesAnything(const PreparedModel& prepared) {
    if (!prepared.placements.empty()) return true;
    std::unordered_set<std::string> left;
    for (const Unquantised& each : prepared.unquantised) left.insert(each.node);
    return std::any_of(prepared.state.observed.begin(), prepared.state.observed.end(), [&](const std::string& node) {
        const auto rule = prepared.state.qconfigs.find(node);
        return rule != prepared.state.qconfigs.end() && rule->second.qconfig && !left.contains(node);
    });
}

Warnings nothingQuantised(const GraphModule& model, const PreparedModel& prepared, Mode mode) {
    if (quantisesAnything(prepared)) return {};
    Warnings warnings = nothingQuantised(mode);
    // Fusing is done whatever the rules say.
    const std::size_t before = model.graph.order().size(), after = prepared.model.graph.order().size();
    if (after < before)
        warnings.push_back({Message("quant.only_fused", {{"before", before}, {"after", after}}), {}, {}, {}});
    return warnings;
}

Warnings nothingQuantised(Mode mode) {
    const std::string_view what = mode == Mode::WeightOnly ? "embeddings"
                                  : mode == Mode::Dynamic  ? "linear and recurrent layers, and embeddings"
                                                           : "the layers and operators that the backend knows";
    return {{Message("quant.nothing_quantised", {{"mode", modeName(mode)}, {"what", what}}), {}, {}, {}}};
}

void setEval(PreparedModel& prepared) { setTraining(prepared.model, false); }

} // namespace fx::quant
