// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/quant/idle_rules.h"

#include "core/quant/module_values.h"
#include "core/quant/preparation/node_qconfigs.h"

#include <algorithm>
#include <set>

namespace fx::quant {
namespace {

/// What rules can name in a model: paths of modules and of scopes, their classes, functions and methods.
class RuleTargets {
public:
    RuleTargets(const GraphModule& model, const PreparedModel& prepared) {
        add(model);
        add(prepared.model); // after fusion there are other classes
        for (const auto& [node, scope] : prepared.state.scopes) m_paths.insert(scope.path), m_types.insert(scope.type);
        for (const auto& [node, rule] : prepared.state.qconfigs)
            if (rule.kind == RuleKind::Order) m_orders.insert(rule.key);
    }

    bool hasPath(const std::string& path) const { return m_paths.contains(path); }
    bool hasType(const std::string& type) const { return m_types.contains(type); }
    bool hasOrder(const std::string& key) const { return m_orders.contains(key); }
    bool hasClass(const std::string& name) const {
        return std::any_of(m_types.begin(), m_types.end(),
                           [&](const std::string& type) { return namesClass({name}, type); });
    }
    bool hasMatch(const ModuleRegex& regex) const {
        return std::any_of(m_paths.begin(), m_paths.end(),
                           [&](const std::string& path) { return regex.matches(path); });
    }

private:
    void add(const GraphModule& model) {
        addCalls(model.graph);
        forEachModule(*model.root, [&](const std::string& path, const Module& module) {
            m_paths.insert(path), m_types.insert(module.qualifiedType());
            if (module.graphModule) addCalls(module.graphModule->graph);
        });
    }
    void addCalls(const Graph& graph) {
        for (const Node& node : graph.nodes())
            if (node.op() == Op::CallFunction || node.op() == Op::CallMethod) m_types.insert(node.target());
    }

    std::set<std::string> m_paths, m_types, m_orders;
};

bool hasRule(const QConfigMapping::Rules& rules, const std::string& key, const QConfigPtr& qconfig) {
    return std::any_of(rules.begin(), rules.end(),
                       [&](const auto& rule) { return rule.first == key && equalQConfigs(rule.second, qconfig); });
}

class IdleRules {
public:
    explicit IdleRules(const RuleTargets& targets) : m_targets(targets) {}

    void look(const QConfigMapping& mapping, const QConfigMapping& base) {
        for (const auto& [type, qconfig] : mapping.objectTypes())
            if (!hasRule(base.objectTypes(), type, qconfig) && !m_targets.hasType(type))
                add(ruleName(RuleKind::ObjectType), publicType(type));
        for (const auto& [regex, qconfig] : mapping.regexes())
            if (!m_targets.hasMatch(ModuleRegex(regex))) add(ruleName(RuleKind::Regex), regex);
        for (const auto& [name, qconfig] : mapping.names())
            if (!name.empty() && !m_targets.hasPath(name)) add(ruleName(RuleKind::ModuleName), name);
        for (const QConfigMapping::Order& order : mapping.orders())
            if (!m_targets.hasOrder(orderKey(order))) add(ruleName(RuleKind::Order), orderKey(order));
    }

    void look(const CustomConfig& custom, const GraphModule& model) {
        std::int64_t inputs = 0;
        for (const Node& node : model.graph.nodes()) inputs += node.op() == Op::Placeholder ? 1 : 0;
        for (const std::int64_t index : custom.quantizedInputs)
            if (index < 0 || index >= inputs) add("input_quantized_idxs", std::to_string(index));
        for (const std::string& name : custom.preserved)
            if (resolvePath(*model.root, name).kind == PathTarget::Kind::Missing) add("preserved_attributes", name);
        for (const std::string& name : custom.untracedNames)
            if (!m_targets.hasPath(name)) add("non_traceable_module_name", name);
        for (const std::string& type : custom.untracedClasses)
            if (!m_targets.hasClass(type)) add("non_traceable_module_class", type);
        for (const StandaloneModule& each : custom.standalone)
            if (each.isClass ? !m_targets.hasClass(each.name) : !m_targets.hasPath(each.name))
                add(each.isClass ? "standalone_module_class" : "standalone_module_name", each.name);
    }

    Warnings found;

private:
    /// torch.nn.Embedding for torch.nn.modules.sparse.Embedding, as which the mapping keeps it.
    static std::string publicType(const std::string& type) {
        return type.starts_with("torch.nn.modules.") ? "torch.nn." + type.substr(type.rfind('.') + 1) : type;
    }

    void add(std::string_view kind, const std::string& key) {
        found.push_back({Message("quant.idle_rule", {{"kind", kind}, {"key", key}}), {}, {}, {}});
    }

    const RuleTargets& m_targets;
};

} // namespace

Warnings idleRules(const GraphModule& model, const PreparedModel& prepared, const QConfigMapping& mapping,
                   const QConfigMapping& base) {
    const RuleTargets targets(model, prepared);
    IdleRules rules(targets);
    rules.look(mapping, base);
    rules.look(prepared.state.custom, model);
    return std::move(rules.found);
}

} // namespace fx::quant
