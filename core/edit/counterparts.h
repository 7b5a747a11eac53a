// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"

#include <vector>

namespace fx {

/// Maps nodes of one model to nodes of another: a partial one-to-one mapping.
///
/// Names alone are not reliable: loading a file numbers its nodes again, so `relu_1` may be a different node. Nodes are
/// matched by name if a neighbour agrees. From these pairs the mapping grows along edges (same operation, same argument
/// position), which also finds renamed nodes. The rest is matched by name alone.
///
///     a:  x ─ conv1 ─ relu ─ conv2 ─ relu_1           conv1, conv2: targets that are called once
///             │       ┊      │       ┊
///     b:  x ─ conv1 ─ relu_1 ─ conv2 ─ relu_2         relu: between matched neighbours
///
/// Linear in nodes and edges, up to a constant number of rounds.
class Counterparts {
public:
    Counterparts(const GraphModule& a, const GraphModule& b);

    /// The counterpart in B of a node of A, or kNoNode; and vice versa.
    NodeId ofA(NodeId a) const { return m_ofA[index(a)]; }
    NodeId ofB(NodeId b) const { return m_ofB[index(b)]; }

private:
    struct Side;
    bool pair(NodeId a, NodeId b);
    void byName(const Side& a, const Side& b);
    void byNameAlone(const Side& a, const Side& b, bool sameOperation);
    void placeholdersByOrder();
    void grow(const Side& a, const Side& b, bool inOrder);
    void growToInputs(const Side& a, const Side& b, NodeId nodeA, NodeId nodeB);
    void growToUsers(const Side& a, const Side& b, NodeId nodeA, NodeId nodeB, bool inOrder);
    bool agrees(const Node& a, const Node& b) const;
    bool isFree(const Node& a, const Node& b) const { return ofA(a.id()) == kNoNode && ofB(b.id()) == kNoNode; }

    const Graph& m_a;
    const Graph& m_b;
    std::vector<NodeId> m_ofA, m_ofB;
    std::vector<std::pair<NodeId, NodeId>> m_pairs; ///< in the order in which they were found
};

} // namespace fx
