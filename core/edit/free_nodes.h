// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/ir/graph.h"

#include <deque>
#include <unordered_map>

namespace fx {

/// Index of nodes by their computation, to find a node under another name. Built on first use.
class FreeNodes {
public:
    /// `graph` must outlive this object.
    explicit FreeNodes(const Graph& graph) : m_graph(graph) {}

    /// Returns the first free node (`isFree`) that computes the same as `made`, or kNoNode. `meaning` maps an input of
    /// `made` to a node of the graph.
    NodeId find(const Node& made, const std::function<NodeId(NodeId)>& meaning,
                const std::function<bool(NodeId)>& isFree);

private:
    static std::size_t hashOf(const Node& node, const std::function<NodeId(NodeId)>& meaning);

    const Graph& m_graph;
    std::unordered_map<std::size_t, std::deque<NodeId>> m_nodes;
    bool m_filled = false;
};

/// True if two nodes have the same args and kwargs after applying `meaning` to the inputs of `made`.
bool sameInputs(const Node& old, const Node& made, const std::function<NodeId(NodeId)>& meaning);
/// As `sameInputs`, and with the same op and target.
bool sameComputation(const Node& old, const Node& made, const std::function<NodeId(NodeId)>& meaning);

} // namespace fx
