// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/verify/what_changed.h"

#include "core/engine/verify/layer.h"
#include "core/module/constructor_settings.h"
#include "core/ops/parameter_list.h"
#include "core/ops/python_functions.h"
#include "core/trace/function_calls.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_set>

namespace fx::engine {
namespace {

std::vector<NodeId> inOrder(const Graph& graph, std::vector<NodeId> nodes) {
    std::sort(nodes.begin(), nodes.end(), [&](NodeId x, NodeId y) { return x != y && graph.isBefore(x, y); });
    return nodes;
}

/// The integers that a call is given, or that it leaves at their defaults, by parameter.
std::map<std::string, std::int64_t> integersOf(const Node& node, const GraphModule& model) {
    std::map<std::string, std::int64_t> out;
    const auto add = [&](const std::string& name, const Argument& value) {
        if (const auto* integer = value.as<std::int64_t>()) out.insert_or_assign(name, *integer);
    };
    if (const Module* module = calledModule(node, model))
        for (const Setting& setting : constructorSettings(*module)) add(setting.name, setting.value);
    const auto function = node.op() == Op::CallFunction ? ops::findFunction(node.target()) : std::nullopt;
    const std::vector<ops::Parameter> parameters = function ? function->parameters() : std::vector<ops::Parameter>();
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        if (const std::string_view text = parameters[i].defaultValue; !text.empty()) {
            const trace::Value given = trace::literal(text);
            if (const auto* value = given.as<Argument>()) add(std::string(parameters[i].name), *value);
        }
        if (i < node.args().size()) add(std::string(parameters[i].name), node.args()[i]);
    }
    for (const auto& [name, value] : node.kwargs()) add(name, value);
    return out;
}

} // namespace

std::vector<std::int64_t> integersOfA(const VerifySide& a, const VerifySide& b, const ChangedPart& part) {
    std::set<std::int64_t> out;
    for (const Node& node : a.model->graph.nodes()) {
        const NodeId other = part.counterpart(node.id());
        if (!node.isCall() || !part.isChangedA(node.id()) || other == kNoNode) continue;
        const auto ofA = integersOf(node, *a.model), ofB = integersOf(b.model->graph.node(other), *b.model);
        for (const auto& [name, number] : ofA)
            if (const auto same = ofB.find(name); same != ofB.end() && same->second != number) out.insert(number);
    }
    return {out.begin(), out.end()};
}

std::vector<std::string> whatChanged(const VerifySide& a, const VerifySide& b, const ChangedPart& part,
                                     const std::vector<ChangedPart::Pair>& exits) {
    const Graph &graphA = a.model->graph, &graphB = b.model->graph;
    std::vector<bool> isInA(graphB.idLimit());
    for (const Node& node : graphA.nodes())
        if (const NodeId other = part.counterpart(node.id()); other != kNoNode) isInA[index(other)] = true;
    std::vector<std::string> names;
    std::unordered_set<std::string> known;
    const auto add = [&](const std::string& name) {
        if (known.insert(name).second) names.push_back(name);
    };
    for (const ChangedPart::Pair& exit : exits) {
        const ChangedPart::Region region = part.regionOf({exit});
        const std::size_t before = names.size();
        for (const NodeId id : inOrder(graphA, region.a)) {
            const NodeId other = part.counterpart(id);
            const bool isCompared = part.isChangedA(id) && other != kNoNode;
            const bool isGone = part.isChangedA(id) && other == kNoNode && graphA.node(id).isCall();
            if (isGone || (isCompared && !sameApartFromInputs(graphA.node(id), graphB.node(other), a, b)))
                add(a.nameOf(graphA.node(id)));
        }
        for (const NodeId id : inOrder(graphB, region.b))
            if (part.isChangedB(id) && !isInA[index(id)] && graphB.node(id).isCall()) add(b.nameOf(graphB.node(id)));
        if (names.size() == before) add(a.nameOf(graphA.node(exit.first)));
    }
    return names;
}

} // namespace fx::engine
