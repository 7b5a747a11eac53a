// SPDX-License-Identifier: GPL-3.0-or-later
// torch.fx's subgraph matcher and rewriter in followed programs.
#include "core/match/rewriter.h"
#include "core/passes/legalize.h"
#include "core/textpasses/graph_objects.h"

namespace fx::python {

/// An object with these attributes: torch.fx's `Match`, `InternalMatch`, `ReplacedPatterns`.
Value GraphObjects::record(const char* name, Keywords fields) {
    Instance* made = m_in.heap().make<Instance>();
    made->type = makeClass(name);
    for (auto& [field, value] : fields) made->attributes.set(field, value);
    return made;
}

Value GraphObjects::bindingOf(const Binding& binding, GraphObject& target) {
    return binding.modulePath.empty() ? fromArgument(target, binding.value) : Value(m_in.text(binding.modulePath));
}

Value GraphObjects::matchObject(const InternalMatch& match, GraphObject& target, GraphObject& pattern) {
    Dict* map = m_in.heap().make<Dict>();
    for (const auto& [from, to] : match.nodesMap) map->set(node(pattern, from), bindingOf(to, target));
    Values anchors, inputs, results;
    for (const NodeId anchor : match.anchors) anchors.push_back(node(pattern, anchor));
    for (const Binding& each : match.placeholderNodes) inputs.push_back(bindingOf(each, target));
    for (const Binding& each : match.returningNodes) results.push_back(bindingOf(each, target));
    return record("InternalMatch", {{"anchors", m_in.listOf(std::move(anchors))},
                                    {"nodes_map", map},
                                    {"placeholder_nodes", m_in.listOf(std::move(inputs))},
                                    {"returning_nodes", m_in.listOf(std::move(results))}});
}

/// torch.fx `replace_pattern` and `replace_pattern_with_filters` of the model.
Value GraphObjects::replacePattern(Values& args, Keywords& kwargs, bool filtered) {
    const Value target = argumentAt(args, kwargs, 0, "gm");
    if (!isGraphModule(target))
        m_in.raise("TypeError", "replace_pattern: expected a GraphModule, got " + m_in.repr(target));
    GraphObject& graph = *m_graphs.at(target.as<Instance>());
    const auto program = [&](std::size_t at, const char* name) {
        const Value value = argumentAt(args, kwargs, at, name);
        GraphObject* given = value.as<GraphObject>();
        auto made = std::make_shared<GraphModule>();
        if (!given) made->root = rootOf(*(given = trace(nullptr, value, {})));
        made->graph = *given->graph;
        return made;
    };
    const Value callback = filtered ? argumentAt(args, kwargs, 5, "replacement_callback") : Value();
    const bool isMade = callback.isSet() && !callback.isNone();
    const Value common = argumentAt(args, kwargs, 2, "replacement");
    const bool isCommon = common.isSet() && !common.isNone();
    if (filtered && !isMade && !isCommon)
        m_in.raise("AssertionError", "Must provide either a replacement GraphModule or a replacement callback");
    const auto pattern = program(1, "pattern");
    const auto replacement = isMade && !isCommon ? std::make_shared<GraphModule>() : program(2, "replacement");
    GraphObject& patternObject = *graphFrom(pattern->graph);
    RewriteOptions options;
    const auto* module = common.as<Instance>();
    options.replacementIsModule = module && module->module;
    const Value literals = filtered ? argumentAt(args, kwargs, 4, "ignore_literals") : Value();
    options.ignoreLiterals = literals.isSet() && m_in.truth(literals);
    const Value filters = filtered ? argumentAt(args, kwargs, 3, "match_filters") : Value();
    if (filters.isSet() && !filters.isNone())
        for (const Value& filter : m_in.list(filters))
            options.filters.push_back([&, filter](const InternalMatch& match, const GraphModule&, const GraphModule&) {
                return m_in.truth(
                    m_in.call(filter, {matchObject(match, graph, patternObject), &graph, &patternObject}));
            });
    if (isMade)
        options.makeReplacement = [&](const InternalMatch& match) {
            const Value made = m_in.call(callback, {matchObject(match, graph, patternObject), &graph, &patternObject});
            return *graphOf(made, "replacement_callback")->graph;
        };
    const Value name = filtered ? argumentAt(args, kwargs, 6, "node_name_match") : Value();
    if (name.isSet()) options.nodeNameMatch = m_in.str(name);
    std::vector<ReplacedPattern> replaced;
    asModel(graph, [&](GraphModule& model) { replaced = fx::replacePattern(model, *pattern, *replacement, options); });
    Values out;
    for (const ReplacedPattern& each : replaced) {
        Dict* map = m_in.heap().make<Dict>();
        for (const auto& [from, to] : each.nodesMap) map->set(node(patternObject, from), bindingOf(to, graph));
        Values made;
        for (const NodeId id : each.replacements) made.push_back(node(graph, id));
        Keywords fields{{"anchor", node(patternObject, each.anchor)}, {"nodes_map", map}};
        if (filtered) fields.emplace_back("replacements", m_in.listOf(std::move(made)));
        out.push_back(record(filtered ? "ReplacedPatterns" : "Match", std::move(fields)));
    }
    return m_in.listOf(std::move(out));
}

void GraphObjects::addRewriting() {
    Names& names = m_in.run(*m_in.ownFile("torch.fx")).names;
    Class* functions = makeClass("subgraph_rewriter");
    method(functions, "legalize_graph", [this](Values& args, Keywords& kwargs) -> Value {
        const Value module = argumentAt(args, kwargs, 0, "gm");
        if (!isGraphModule(module)) m_in.raise("TypeError", "expected a GraphModule, got " + m_in.repr(module));
        GraphObject* sorted = copied(*m_graphs.at(module.as<Instance>())); // torch.fx makes a new graph, too
        if (!legalizeGraph(sorted->own)) m_in.raise("RuntimeError", "Input graph has cycles");
        own(module.as<Instance>(), sorted);
        return module;
    });
    names.set("legalize_graph", *functions->find("legalize_graph"));
    method(functions, "split_module", [this](Values& args, Keywords& kwargs) { return splitModule(args, kwargs); });
    method(functions, "_propose_partitions", [this](Values& args, Keywords&) { return proposePartitions(args); });
    method(functions, "_fuse_partitions", [this](Values& args, Keywords&) { return fusePartitions(args); });
    for (const char* name : {"split_module", "_propose_partitions", "_fuse_partitions"})
        names.set(name, *functions->find(name));
    for (const bool filtered : {false, true}) {
        const char* name = filtered ? "replace_pattern_with_filters" : "replace_pattern";
        method(functions, name,
               [this, filtered](Values& args, Keywords& kwargs) { return replacePattern(args, kwargs, filtered); });
        names.set(name, *functions->find(name));
    }
    Class* matcher = makeClass("SubgraphMatcher");
    method(matcher, "__init__", [this](Values& args, Keywords& kwargs) {
        Names& own = args.at(0).as<Instance>()->attributes;
        own.set("pattern", graphOf(argumentAt(args, kwargs, 1, "pattern"), "SubgraphMatcher"));
        static constexpr const char* kSettings[] = {"match_output", "match_placeholder", "remove_overlapping_matches",
                                                    "ignore_literals"};
        for (std::size_t i = 0; i < std::size(kSettings); ++i) {
            const Value given = argumentAt(args, kwargs, i + 2, kSettings[i]);
            own.set(kSettings[i], given.isSet() ? m_in.truth(given) : i == 2);
        }
        return Value::none();
    });
    method(matcher, "match", [this](Values& args, Keywords& kwargs) -> Value {
        Names& own = args.at(0).as<Instance>()->attributes;
        GraphObject& pattern = *own.find("pattern")->as<GraphObject>();
        GraphObject& graph = *graphOf(argumentAt(args, kwargs, 1, "graph"), "match");
        const auto setting = [&](const char* name) { return own.find(name)->boolean; };
        MatcherOptions options;
        options.matchOutput = setting("match_output");
        options.matchPlaceholder = setting("match_placeholder");
        options.removeOverlapping = setting("remove_overlapping_matches");
        options.ignoreLiterals = setting("ignore_literals");
        GraphModule wanted;
        wanted.graph = *pattern.graph;
        Values found;
        asModel(graph, [&](GraphModule& model) {
            for (const InternalMatch& match : SubgraphMatcher(wanted, options).match(model))
                found.push_back(matchObject(match, graph, pattern));
        });
        return m_in.listOf(std::move(found));
    });
    names.set("SubgraphMatcher", matcher);
}

} // namespace fx::python
