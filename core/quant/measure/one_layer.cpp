// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/quant/measure/one_layer.h"

#include <algorithm>
#include <map>
#include <unordered_set>

namespace fx::quant {
namespace {

const NodeQConfig* qconfigOf(const PreparedModel& prepared, const std::string& name) {
    const auto found = prepared.state.qconfigs.find(name);
    return found == prepared.state.qconfigs.end() || !found->second.qconfig ? nullptr : &found->second;
}

/// The module that a node calls, or the one inside a fused module that has the weight.
bool hasWeight(const PreparedModel& prepared, const Node& node) {
    const PathTarget target = resolvePath(*prepared.model.root, node.target());
    if (!target.module) return false;
    if (target.module->parameter("weight")) return true;
    return std::any_of(target.module->children.begin(), target.module->children.end(),
                       [](const Module::Child& child) { return child.module && child.module->parameter("weight"); });
}

/// Calls `set` for each wanted node with its QConfig, its module and, for a function, which call of it in the module it
/// is.
template<class Set>
void forEachLayer(const PreparedModel& prepared, const std::vector<std::string>& layers, const Set& set) {
    const std::unordered_set<std::string> wanted(layers.begin(), layers.end());
    std::map<std::pair<std::string, std::string>, std::int64_t> counts; // of each function in each module
    for (const Node& node : prepared.model.graph.nodes()) {
        std::int64_t place = 0;
        std::string scope;
        if (node.op() == Op::CallFunction) {
            const auto known = prepared.state.scopes.find(node.name());
            if (known != prepared.state.scopes.end()) scope = known->second.path;
            place = counts[{scope, node.target()}]++;
        }
        const NodeQConfig* qconfig = wanted.contains(node.name()) ? qconfigOf(prepared, node.name()) : nullptr;
        if (qconfig) set(node, scope, place, qconfig->qconfig);
    }
}

void setRule(QConfigMapping& mapping, const Node& node, const std::string& scope, std::int64_t place,
             const QConfigPtr& qconfig) {
    if (node.op() == Op::CallModule) mapping.setModuleName(node.target(), qconfig);
    else if (node.op() == Op::CallFunction) mapping.setModuleNameObjectTypeOrder(scope, node.target(), place, qconfig);
}

} // namespace

std::vector<std::string> quantisedLayers(const PreparedModel& prepared) {
    std::unordered_set<std::string> weighted; // functions whose weight is observed
    for (const Placement& placement : prepared.placements)
        if (placement.role == Placement::Role::Weight) weighted.insert(placement.cause);
    std::vector<std::string> out;
    for (const Node& node : prepared.model.graph.nodes()) {
        if (!prepared.state.observed.contains(node.name()) || !qconfigOf(prepared, node.name())) continue;
        const bool isLayer = node.op() == Op::CallModule     ? hasWeight(prepared, node)
                             : node.op() == Op::CallFunction ? weighted.contains(node.name())
                                                             : false;
        if (isLayer) out.push_back(node.name());
    }
    return out;
}

QConfigMapping onlyLayers(const PreparedModel& prepared, const std::vector<std::string>& layers) {
    QConfigMapping out;
    forEachLayer(prepared, layers,
                 [&](const Node& node, const std::string& scope, std::int64_t place, const QConfigPtr& qconfig) {
                     setRule(out, node, scope, place, qconfig);
                 });
    return out;
}

QConfigMapping withoutLayers(const PreparedModel& prepared, const std::vector<std::string>& layers) {
    QConfigMapping out = prepared.state.mapping;
    forEachLayer(prepared, layers,
                 [&](const Node& node, const std::string& scope, std::int64_t place, const QConfigPtr&) {
                     setRule(out, node, scope, place, nullptr);
                 });
    return out;
}

} // namespace fx::quant
