// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/match/rewriter.h"
#include "core/passes/legalize.h"
#include "core/textpasses/class_making.h"
#include "core/textpasses/graph_functions.h"
#include "core/textpasses/graph_objects.h"

namespace fx::python {
namespace {

/// torch.fx's subgraph matcher and rewriter.
class Rewriting {
public:
    explicit Rewriting(GraphObjects& objects);

private:
    Value replacePattern(Values& args, Keywords& kwargs, bool filtered);
    Value matchObject(const InternalMatch& match, GraphObject& target, GraphObject& pattern);
    Value bindingOf(const Binding& binding, GraphObject& target);

    GraphObjects& m_objects;
    Interpreter& m_in;
};

Value Rewriting::bindingOf(const Binding& binding, GraphObject& target) {
    return binding.modulePath.empty() ? m_objects.arguments().fromArgument(m_objects.nodesOf(target), binding.value)
                                      : Value(m_in.text(binding.modulePath));
}

Value Rewriting::matchObject(const InternalMatch& match, GraphObject& target, GraphObject& pattern) {
    Dict* map = m_in.heap().make<Dict>();
    for (const auto& [from, to] : match.nodesMap) map->set(m_objects.node(pattern, from), bindingOf(to, target));
    Values anchors, inputs, results;
    for (const NodeId anchor : match.anchors) anchors.push_back(m_objects.node(pattern, anchor));
    for (const Binding& each : match.placeholderNodes) inputs.push_back(bindingOf(each, target));
    for (const Binding& each : match.returningNodes) results.push_back(bindingOf(each, target));
    return makeRecord(m_in, "InternalMatch",
                      {{"anchors", m_in.listOf(std::move(anchors))},
                       {"nodes_map", map},
                       {"placeholder_nodes", m_in.listOf(std::move(inputs))},
                       {"returning_nodes", m_in.listOf(std::move(results))}});
}

/// torch.fx `replace_pattern` and `replace_pattern_with_filters` of the model.
Value Rewriting::replacePattern(Values& args, Keywords& kwargs, bool filtered) {
    const Value target = argumentAt(args, kwargs, 0, "gm");
    if (!m_objects.isGraphModule(target))
        m_in.raise("TypeError", "replace_pattern: expected a GraphModule, got " + m_in.repr(target));
    GraphObject& graph = m_objects.graphOf(*target.as<Instance>());
    const auto program = [&](std::size_t at, const char* name) {
        const Value value = argumentAt(args, kwargs, at, name);
        GraphObject* given = value.as<GraphObject>();
        auto made = std::make_shared<GraphModule>();
        if (!given) made->root = m_objects.rootOf(*(given = m_objects.trace(nullptr, value, {})));
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
    GraphObject& patternObject = *m_objects.graphFrom(pattern->graph);
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
            return *m_objects.graphOf(made, "replacement_callback")->graph;
        };
    const Value name = filtered ? argumentAt(args, kwargs, 6, "node_name_match") : Value();
    if (name.isSet()) options.nodeNameMatch = m_in.str(name);
    std::vector<ReplacedPattern> replaced;
    m_objects.asModel(
        graph, [&](GraphModule& model) { replaced = fx::replacePattern(model, *pattern, *replacement, options); });
    graph.compiled = *graph.graph;
    Values out;
    for (const ReplacedPattern& each : replaced) {
        Dict* map = m_in.heap().make<Dict>();
        for (const auto& [from, to] : each.nodesMap)
            map->set(m_objects.node(patternObject, from), bindingOf(to, graph));
        Values made;
        for (const NodeId id : each.replacements) made.push_back(m_objects.node(graph, id));
        Keywords fields{{"anchor", m_objects.node(patternObject, each.anchor)}, {"nodes_map", map}};
        if (filtered) fields.emplace_back("replacements", m_in.listOf(std::move(made)));
        out.push_back(makeRecord(m_in, filtered ? "ReplacedPatterns" : "Match", fields));
    }
    return m_in.listOf(std::move(out));
}

Rewriting::Rewriting(GraphObjects& objects) : m_objects(objects), m_in(objects.in()) {
    Names& names = m_in.run(*m_in.ownFile("torch.fx")).names;
    Class* functions = makeClass(m_in, "subgraph_rewriter");
    addMethod(m_in, functions, "legalize_graph", [this](Values& args, Keywords& kwargs) -> Value {
        const Value module = argumentAt(args, kwargs, 0, "gm");
        if (!m_objects.isGraphModule(module))
            m_in.raise("TypeError", "expected a GraphModule, got " + m_in.repr(module));
        GraphObject* sorted =
            m_objects.copied(m_objects.graphOf(*module.as<Instance>())); // torch.fx makes a new graph, too
        if (!legalizeGraph(sorted->own)) m_in.raise("RuntimeError", "Input graph has cycles");
        m_objects.own(module.as<Instance>(), sorted);
        return module;
    });
    names.set("legalize_graph", *functions->find("legalize_graph"));
    for (const bool filtered : {false, true}) {
        const char* name = filtered ? "replace_pattern_with_filters" : "replace_pattern";
        addMethod(m_in, functions, name,
                  [this, filtered](Values& args, Keywords& kwargs) { return replacePattern(args, kwargs, filtered); });
        names.set(name, *functions->find(name));
    }
    Class* matcher = makeClass(m_in, "SubgraphMatcher");
    addMethod(m_in, matcher, "__init__", [this](Values& args, Keywords& kwargs) {
        Names& own = args.at(0).get<Instance>().attributes;
        own.set("pattern", m_objects.graphOf(argumentAt(args, kwargs, 1, "pattern"), "SubgraphMatcher"));
        static constexpr const char* kSettings[] = {"match_output", "match_placeholder", "remove_overlapping_matches",
                                                    "ignore_literals"};
        for (std::size_t i = 0; i < std::size(kSettings); ++i) {
            const Value given = argumentAt(args, kwargs, i + 2, kSettings[i]);
            own.set(kSettings[i], given.isSet() ? m_in.truth(given) : i == 2);
        }
        return Value::none();
    });
    addMethod(m_in, matcher, "match", [this](Values& args, Keywords& kwargs) -> Value {
        Names& own = args.at(0).get<Instance>().attributes;
        GraphObject& pattern = *own.find("pattern")->as<GraphObject>();
        GraphObject& graph = *m_objects.graphOf(argumentAt(args, kwargs, 1, "graph"), "match");
        const auto setting = [&](const char* name) { return own.find(name)->boolean; };
        MatcherOptions options;
        options.matchOutput = setting("match_output");
        options.matchPlaceholder = setting("match_placeholder");
        options.removeOverlapping = setting("remove_overlapping_matches");
        options.ignoreLiterals = setting("ignore_literals");
        GraphModule wanted;
        wanted.graph = *pattern.graph;
        Values found;
        m_objects.asModel(graph, [&](GraphModule& model) {
            for (const InternalMatch& match : SubgraphMatcher(wanted, options).match(model))
                found.push_back(matchObject(match, graph, pattern));
        });
        return m_in.listOf(std::move(found));
    });
    names.set("SubgraphMatcher", matcher);
}

} // namespace

void addRewriting(GraphObjects& objects) { objects.keep(std::make_shared<Rewriting>(objects)); }

} // namespace fx::python
