// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/edit/history.h"

#include "core/edit/steps/step.h"

namespace fx {

namespace {

/// The node is called otherwise by now, or whatever had the name that it should get has it no more.
bool isObsoleteName(const Warning& warning, const std::string& node, const Graph& before, const Graph& after) {
    const bool isOfName = warning.what.is("edit.name_taken") || warning.what.is("edit.name_reserved") ||
                          warning.what.is("edit.name_invalid");
    if (!isOfName) return false;
    const std::string wanted = warning.what.argument("name");
    return node != warning.node || (before.find(wanted) != kNoNode && after.find(wanted) == kNoNode);
}

/// What a version warned of and what is still so in the next one. Nodes that are renamed keep their warnings, under
/// their new name.
Warnings stillSo(const Warnings& told, const Graph& before, const Graph& after) {
    Warnings still;
    for (const Warning& warning : told) {
        const NodeId id = warning.node.empty() ? kNoNode : before.find(warning.node);
        if (id == kNoNode) { // of the file, a module, or a graph inside
            still.push_back(warning);
            continue;
        }
        if (index(id) >= after.idLimit() || after.node(id).erased()) continue;
        const Node& node = after.node(id);
        if (isObsoleteName(warning, node.name(), before, after)) continue;
        if (warning.what.is("edit.left_unused") && !node.users().empty()) continue;
        still.push_back(warning);
        still.back().node = node.name();
    }
    return still;
}

/// `told`: takes what the steps warn of.
std::shared_ptr<GraphModule> versionAfter(const GraphModule& model, const StepList& steps, NewWeights weights,
                                          const Progress& progress, const Readers& readers, Warnings* told = nullptr) {
    auto result = std::make_shared<GraphModule>(model);
    const EditEffect effect = applyStepsNoting(*result, steps, {}, progress, weights, nullptr, readers);
    result->warnings = stillSo(model.warnings, model.graph, result->graph);
    for (const Warning& warning : effect.warnings) { // a later step may have made it obsolete
        const bool isThere = result->graph.find(warning.node) != kNoNode;
        if (!isObsoleteName(warning, isThere ? warning.node : std::string(), model.graph, result->graph))
            result->warnings.push_back(warning);
    }
    if (told) *told = effect.warnings;
    return result;
}

/// The larger the model, the longer this would take: nothing was made unless the tree is another one.
std::uint64_t newWeightBytes(const GraphModule& before, const GraphModule& after) {
    std::uint64_t bytes = 0;
    if (before.root == after.root) return bytes;
    forEachModule(*after.root, [&](const std::string&, const Module& module) {
        for (const auto* slots : {&module.parameters, &module.buffers})
            for (const auto& slot : *slots)
                if (slot.tensor && isShapeOnly(*slot.tensor))
                    bytes += static_cast<std::uint64_t>(slot.tensor->byteCount());
    });
    return bytes;
}

} // namespace

std::shared_ptr<GraphModule> History::edited(const GraphModule& model, const StepList& steps, const Progress& progress,
                                             const Readers& readers) {
    return versionAfter(model, steps, NewWeights::Drawn, progress, readers);
}

History::Trial History::tried(const GraphModule& model, const StepList& steps, const Progress& progress,
                              const Readers& readers) {
    Trial trial;
    trial.model = versionAfter(model, steps, NewWeights::ShapesOnly, progress, readers, &trial.warnings);
    trial.weightBytes = newWeightBytes(model, *trial.model);
    return trial;
}

void History::edit(std::string name, StepList steps) {
    auto model = edited(*this->model(), steps);
    push(std::move(name), std::move(steps), std::move(model));
}

void History::push(std::string name, StepList steps, std::shared_ptr<const GraphModule> model,
                   std::chrono::system_clock::time_point time) {
    m_entries.resize(m_current + 1);
    m_entries.push_back({std::move(name), std::move(steps), time, std::move(model)});
    ++m_current;
}

} // namespace fx
