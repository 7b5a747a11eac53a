// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/quant/constant_nodes.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace fx::quant {

ConstantNodes::ConstantNodes(const Graph& graph) : m_constant(graph.idLimit()) {
    for (const Node& node : graph.nodes())
        m_constant[index(node.id())] =
            node.op() != Op::Placeholder && node.op() != Op::Output &&
            std::all_of(node.inputs().begin(), node.inputs().end(), [&](NodeId input) { return contains(input); });
}

TensorPtr constantValue(const GraphModule& model, NodeId id, QuantEngine& engine) {
    if (!ConstantNodes(model.graph).contains(id)) return {};
    std::unordered_set<NodeId> needed{id};
    std::vector<NodeId> open{id};
    while (!open.empty()) {
        const Node& node = model.graph.node(open.back());
        open.pop_back();
        for (const NodeId input : node.inputs())
            if (needed.insert(input).second) open.push_back(input);
    }
    GraphModule asked = model;
    asked.graph = Graph();
    std::unordered_map<NodeId, NodeId> made;
    const auto mapped = [&](NodeId each) { return Argument(made.at(each)); };
    for (const Node& node : model.graph.nodes()) {
        if (needed.contains(node.id())) made[node.id()] = asked.graph.createCopy(node, mapped, node.name());
    }
    asked.graph.output(Argument::tuple({Argument(made.at(id))}));
    const std::vector<ValueTree> values = engine.values(asked);
    return values.empty() ? TensorPtr() : values.front().tensor;
}

} // namespace fx::quant
