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

/// Recurrent layers have several: `weight_ih_l0` and so on.
bool hasWeight(const Module& module) {
    return std::any_of(module.parameters.begin(), module.parameters.end(), [](const Module::Slot& slot) {
        return slot.name == "weight" || slot.name.starts_with("weight_");
    });
}

/// The module that a node calls, or the one inside a fused module that has the weight.
bool hasWeight(PathResolver& paths, const Node& node) {
    const PathTarget target = paths.resolve(node.target());
    if (!target.module) return false;
    if (hasWeight(*target.module)) return true;
    return std::any_of(target.module->children.begin(), target.module->children.end(),
                       [](const Module::Child& child) { return child.module && hasWeight(*child.module); });
}

/// The layers with what is quantised together with them: torch.ao asks each node of `relu(conv2d(x, w))` for its
/// QConfig, and that of the relu decides.
std::unordered_set<std::string> withPatterns(const PreparedModel& prepared, const std::vector<std::string>& layers) {
    std::unordered_set<std::string> out(layers.begin(), layers.end());
    for (const std::string& layer : layers)
        if (const auto found = prepared.state.patterns.find(layer); found != prepared.state.patterns.end())
            out.insert(found->second.begin(), found->second.end());
    return out;
}

/// Sets a rule for each of these layers that has a QConfig: `of` gives the new one.
template<class Of> void setRules(const PreparedModel& prepared, const std::vector<std::string>& layers,
                                 QConfigMapping& mapping, const Of& of) {
    const std::unordered_set<std::string> wanted = withPatterns(prepared, layers);
    const auto rules = nodeRules(prepared);
    for (const Node& node : prepared.model.graph.nodes()) {
        const NodeQConfig* qconfig = wanted.contains(node.name()) ? qconfigOf(prepared, node.name()) : nullptr;
        const auto rule = rules.find(node.name());
        if (qconfig && rule != rules.end()) rule->second.set(mapping, of(qconfig->qconfig));
    }
}

} // namespace

std::vector<std::string> quantisedLayers(const PreparedModel& prepared) {
    std::unordered_set<std::string> weighted, left; // functions whose weight is observed; what stays as it is
    for (const Unquantised& each : prepared.unquantised) left.insert(each.node);
    for (const Placement& placement : prepared.placements)
        if (placement.role == Placement::Role::Weight) weighted.insert(placement.cause);
    std::vector<std::string> out;
    PathResolver paths(*prepared.model.root);
    for (const Node& node : prepared.model.graph.nodes()) {
        if (!prepared.state.observed.contains(node.name()) || left.contains(node.name())) continue;
        if (!qconfigOf(prepared, node.name())) continue;
        const bool isLayer = node.op() == Op::CallModule     ? hasWeight(paths, node)
                             : node.op() == Op::CallFunction ? weighted.contains(node.name())
                                                             : false;
        if (isLayer) out.push_back(node.name());
    }
    return out;
}

std::vector<std::string> quantisedOperators(const PreparedModel& prepared) {
    const std::unordered_set<std::string> layers = withPatterns(prepared, quantisedLayers(prepared));
    const auto rules = nodeRules(prepared);
    std::vector<const NodeRule*> ofLayers; // that may reach several nodes
    for (const auto& [node, rule] : rules)
        if (rule.kind == RuleKind::ObjectType && layers.contains(node)) ofLayers.push_back(&rule);
    std::vector<std::string> out;
    for (const Node& node : prepared.model.graph.nodes()) {
        const auto rule = rules.find(node.name());
        if (rule == rules.end() || layers.contains(node.name())) continue;
        if (!prepared.state.observed.contains(node.name()) || !qconfigOf(prepared, node.name())) continue;
        const NodeRule& known = rule->second;
        if (std::none_of(ofLayers.begin(), ofLayers.end(), [&](const NodeRule* each) { return *each == known; }))
            out.push_back(node.name());
    }
    return out;
}

void NodeRule::set(QConfigMapping& mapping, const QConfigPtr& qconfig) const {
    switch (kind) {
    case RuleKind::ModuleName: mapping.setModuleName(module, qconfig); break;
    case RuleKind::Order: mapping.setModuleNameObjectTypeOrder(module, objectType, index, qconfig); break;
    case RuleKind::Regex: mapping.setModuleNameRegex(module, qconfig); break;
    case RuleKind::Global: mapping.setGlobal(qconfig); break;
    case RuleKind::ObjectType: mapping.setObjectType(objectType, qconfig); break;
    case RuleKind::None: break;
    }
}

std::string NodeRule::key() const {
    switch (kind) {
    case RuleKind::ModuleName:
    case RuleKind::Regex: return module;
    case RuleKind::Order: return module + ", " + canonicalObjectType(objectType) + ", " + std::to_string(index);
    case RuleKind::ObjectType: return canonicalObjectType(objectType);
    default: return {};
    }
}

std::unordered_map<std::string, NodeRule> nodeRules(const PreparedModel& prepared) {
    std::unordered_map<std::string, NodeRule> out;
    std::map<std::pair<std::string, std::string>, std::int64_t> counts; // of each function in each module
    for (const Node& node : prepared.model.graph.nodes()) {
        if (node.op() == Op::CallModule) {
            out[node.name()] = {RuleKind::ModuleName, node.target(), {}, 0};
        } else if (node.op() == Op::CallMethod) {
            out[node.name()] = {RuleKind::ObjectType, {}, node.target(), 0};
        } else if (node.op() == Op::CallFunction) {
            const auto known = prepared.state.scopes.find(node.name());
            const std::string scope = known == prepared.state.scopes.end() ? std::string() : known->second.path;
            out[node.name()] = {RuleKind::Order, scope, node.target(), counts[{scope, node.target()}]++};
        }
    }
    return out;
}

QConfigMapping onlyLayers(const PreparedModel& prepared, const std::vector<std::string>& layers) {
    QConfigMapping out;
    setRules(prepared, layers, out, [](const QConfigPtr& qconfig) { return qconfig; });
    return out;
}

QConfigMapping withoutLayers(const PreparedModel& prepared, const std::vector<std::string>& layers) {
    QConfigMapping out = prepared.state.mapping;
    setRules(prepared, layers, out, [](const QConfigPtr&) { return QConfigPtr(); });
    return out;
}

} // namespace fx::quant
