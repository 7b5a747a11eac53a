// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/quant/pt2e/x86_quantizer.h"

#include "core/diag/error.h"
#include "core/quant/pt2e/x86_annotator.h"
#include "core/quant/pt2e/x86_sources.h"

#include <algorithm>
#include <set>

namespace fx::quant::pt2e {
namespace {

using Rule = X86Annotator::Rule;

/// Rules of module names come first, then operators, then the global one.
std::vector<Rule> rulesOf(const Graph& graph, const std::vector<std::pair<std::string, X86ConfigPtr>>& modules,
                          const std::vector<std::pair<std::string, X86ConfigPtr>>& operators,
                          const X86ConfigPtr& global) {
    std::vector<Rule> rules;
    for (const auto& [path, config] : modules) {
        const auto isInside = [&graph, path = path](NodeId id) {
            const auto& stack = graph.node(id).meta().moduleStack;
            return std::any_of(stack.begin(), stack.end(),
                               [&](const ModuleFrame& frame) { return frame.path == path; });
        };
        rules.push_back({config, "module_name " + path, [isInside](std::span<const NodeId> nodes) {
                             return std::all_of(nodes.begin(), nodes.end(), isInside);
                         }});
    }
    const auto exactlyOne = [&graph](std::span<const NodeId> nodes, const auto& is) {
        return std::count_if(nodes.begin(), nodes.end(), [&](NodeId id) { return is(graph.node(id).target()); }) == 1;
    };
    for (const auto& [target, config] : operators)
        rules.push_back(
            {config, "operator " + target.substr(10), [exactlyOne, target = target](std::span<const NodeId> nodes) {
                 return exactlyOne(nodes, [&](const std::string& each) { return each == target; });
             }});
    if (global)
        rules.push_back({global, "global", [exactlyOne](std::span<const NodeId> nodes) {
                             return exactlyOne(nodes,
                                               [](const std::string& each) { return x86::isQuantisedByDefault(each); });
                         }});
    return rules;
}

/// Rules that no node can have, such as those with a misspelt name: torchao says nothing of them.
void warnOfIdleRules(const Graph& graph, const std::vector<std::pair<std::string, X86ConfigPtr>>& modules,
                     const std::vector<std::pair<std::string, X86ConfigPtr>>& operators, Warnings& warnings) {
    std::set<std::string> paths, targets;
    for (const Node& node : graph.nodes()) {
        targets.insert(node.target());
        for (const ModuleFrame& frame : node.meta().moduleStack) paths.insert(frame.path);
    }
    const auto warn = [&](std::string_view kind, const std::string& key) {
        warnings.push_back({Message("quant.idle_rule", {{"kind", kind}, {"key", key}}), {}, {}, {}});
    };
    for (const auto& [path, config] : modules)
        if (!paths.contains(path)) warn("module_name", path);
    for (const auto& [target, config] : operators)
        if (!targets.contains(target)) warn("object_type", target);
}

} // namespace

Annotations X86Quantizer::annotate(const GraphModule& model, Warnings& warnings) const {
    const std::vector<Rule> rules = rulesOf(model.graph, m_modules, m_operators, m_global);
    const auto attempt = [&](SourcePartitions::Calls calls, Warnings& found) {
        Annotations annotations;
        SourcePartitions partitions(model.graph, calls);
        X86Annotator annotator(model.graph, partitions, annotations, found);
        for (const Rule& rule : rules) annotator.apply(rule);
        annotator.shareOutputs();
        return annotations;
    };
    Annotations annotations;
    Warnings found;
    try {
        annotations = attempt(SourcePartitions::Calls::Together, found);
    } catch (const SeveralCalls& several) {
        found.clear();
        found.push_back({Message("pt2e.several_calls", {{"module", several.place}}), {}, several.place, {}});
        annotations = attempt(SourcePartitions::Calls::Apart, found);
    }
    warnings.insert(warnings.end(), found.begin(), found.end());
    warnOfIdleRules(model.graph, m_modules, m_operators, warnings);
    return annotations;
}

} // namespace fx::quant::pt2e
