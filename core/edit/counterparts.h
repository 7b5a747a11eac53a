// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"

#include <vector>

namespace fx {

/// Which node of one model is which of another: a partial one-to-one map.
///
/// Names tell most, but not all: a file that is loaded again numbers its nodes anew, so that `relu_1` may be another
/// one. A name counts where a neighbour agrees; from pairs found so the map grows along edges (same operation, same
/// place among the arguments), which also finds nodes that were renamed; what is left goes by name alone.
///
///     a:  x ─ conv1 ─ relu ─ conv2 ─ relu_1           conv1, conv2: targets that are called once
///             │       ┊      │       ┊
///     b:  x ─ conv1 ─ relu_1 ─ conv2 ─ relu_2         relu: between matched neighbours
///
/// Linear in nodes and edges, up to a constant number of rounds.
class Counterparts {
public:
    Counterparts(const GraphModule& a, const GraphModule& b);

    /// The node of B that a node of A is, kNoNode when there is none; and the other way round.
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
