// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/ir/graph.h"

#include <deque>
#include <unordered_map>

namespace fx {

/// Nodes of a graph by what they compute, for finding one again under another name. Filled when first asked.
class FreeNodes {
public:
    explicit FreeNodes(const Graph& graph) : m_graph(graph) {}

    /// The first node that computes what `made` does and that `isFree`. `meaning` gives the node of the graph that an
    /// input of `made` stands for.
    NodeId find(const Node& made, const std::function<NodeId(NodeId)>& meaning,
                const std::function<bool(NodeId)>& isFree);

private:
    static std::size_t hashOf(const Node& node, const std::function<NodeId(NodeId)>& meaning);

    const Graph& m_graph;
    std::unordered_map<std::size_t, std::deque<NodeId>> m_nodes;
    bool m_filled = false;
};

/// Whether two nodes have the same args and kwargs when `meaning` is applied to the inputs of `made`.
bool sameInputs(const Node& old, const Node& made, const std::function<NodeId(NodeId)>& meaning);
/// The same for op and target too.
bool sameComputation(const Node& old, const Node& made, const std::function<NodeId(NodeId)>& meaning);

} // namespace fx
