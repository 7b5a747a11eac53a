// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"

#include <vector>

namespace fx {

/// A partial one-to-one mapping from nodes of one model to nodes of another.
///
/// Names alone are not reliable: loading a file renumbers its nodes, so `relu_1` may be a different node. Nodes are
/// matched by name if a neighbour agrees. From these pairs the mapping grows along edges (same operation, same
/// argument position), which also finds renamed nodes. The remaining nodes are matched by name alone.
///
///     a:  x ─ conv1 ─ relu ─ conv2 ─ relu_1           conv1, conv2: targets that are called once
///             │       ┊      │       ┊
///     b:  x ─ conv1 ─ relu_1 ─ conv2 ─ relu_2         relu: between matched neighbours
///
/// Linear in nodes and edges, up to a constant number of rounds.
class Counterparts {
public:
    /// Keeps references to the graphs.
    Counterparts(const GraphModule& a, const GraphModule& b);
    /// Matches nodes by their position alone, for a model and what a file made of it.
    static Counterparts byPosition(const GraphModule& a, const GraphModule& b);

    /// Returns the counterpart in B of a node of A, or kNoNode.
    NodeId ofA(NodeId a) const { return m_ofA[index(a)]; }
    /// Returns the counterpart in A of a node of B, or kNoNode.
    NodeId ofB(NodeId b) const { return m_ofB[index(b)]; }

private:
    struct Side;
    Counterparts(const Graph& a, const Graph& b);
    bool pair(NodeId a, NodeId b);
    void byName(const Side& a, const Side& b);
    void byNameAlone(const Side& a, const Side& b, bool sameOperation);
    void placeholdersByOrder();
    void grow(const Side& a, const Side& b, bool inOrder);
    void growToInputs(const Side& a, const Side& b, NodeId nodeA, NodeId nodeB);
    void growToUsers(const Side& a, const Side& b, NodeId nodeA, NodeId nodeB, bool inOrder);
    bool agrees(const Node& a, const Node& b) const;
    static bool contradicts(const Side& a, const Side& b, const Node& nodeA, const Node& nodeB);
    bool isFree(const Node& a, const Node& b) const { return ofA(a.id()) == kNoNode && ofB(b.id()) == kNoNode; }

    const Graph& m_a;
    const Graph& m_b;
    std::vector<NodeId> m_ofA, m_ofB;
    std::vector<std::pair<NodeId, NodeId>> m_pairs; ///< in the order of discovery
};

} // namespace fx
