// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"
#include "core/module/graph_module.h"

#include <vector>

namespace fx {

class Counterparts;

/// The values that two models have in common although nothing but their graphs and weights is known, and where those
/// graphs or weights differ.
///
/// Values are numbered over both graphs at once: nodes that do the same with the same values give the same value, under
/// whatever names. Where a node of A and its counterpart in B do something else, their values are *taken* to be the
/// same, so that all that follows is unchanged again; `exits` are those pairs that this was assumed of. Running what
/// leads to them, on the same values in both models, tells whether that is true, whatever the rest of the model does:
///
///     a:  x ─ conv1 ─ bn1 ─ relu ─ fc          exits: (relu, relu)
///     b:  x ─ conv1'─────── relu ─ fc          entries of the region that leads there: x
///
/// Nodes that read what another node has changed in place read another value: after `y = x.relu_()` both `x` and `y`
/// are the value of `y`. What is written where nothing else reads it (`x.clone().add_(1)`) is as a call that does not
/// write. `sameOutputs` is false when anything is changed in place.
class ChangedPart {
public:
    /// Reads the tensors of which the models do not share the storage. Throws Error{File}, Error{Cancelled}.
    ChangedPart(const GraphModule& a, const GraphModule& b, const Progress& progress = {});

    using Pair = std::pair<NodeId, NodeId>; ///< of A, of B
    /// The counterpart in B of a node of A, or its replacement; kNoNode if there is neither. See `Counterparts`.
    NodeId counterpart(NodeId a) const { return m_counterparts[index(a)]; }
    /// The same nodes in the same order with the same weights, names aside.
    bool identical() const { return m_identical; }
    /// What the models return is the same, since what computes it is: after erasing dead code or common subexpressions.
    bool sameOutputs() const { return m_sameOutputs; }
    /// Pairs in the order of A. Also nodes that changed and that nothing uses.
    const std::vector<Pair>& exits() const { return m_exits; }
    /// Whether the node of A, or its counterpart, does something else, or has no counterpart.
    bool isChangedA(NodeId a) const { return m_changedA[index(a)]; }
    bool isChangedB(NodeId b) const { return m_changedB[index(b)]; }
    /// Whether both nodes are the same call on the same values: only weights or settings of what they call differ.
    bool isSameCall(const Pair& pair) const;
    /// Nodes that give one and the same value.
    struct Entry {
        std::vector<NodeId> a, b;  ///< at the border of the region in each model; one may be empty
        NodeId producer = kNoNode; ///< a node of A that gives it
    };
    /// What computes some pairs from values that did not change.
    struct Region {
        std::vector<Pair> exits;
        std::vector<Entry> entries; ///< those that depend on the models' inputs; constants are computed by the region
        std::vector<NodeId> a, b;   ///< the nodes of each model that run in it, constants included
        std::size_t size = 0;       ///< nodes of A in it that depend on the inputs
        std::vector<NodeId> producers() const; ///< of its entries
    };
    /// `alsoA`: nodes of A (by id) that belong to the region though they did not change.
    Region regionOf(std::vector<Pair> exits, const std::vector<bool>& alsoA = {}) const;

private:
    class Numbering;
    struct Side {
        explicit Side(const GraphModule& of)
            : model(&of), value(of.graph.idLimit()), dependsOnInput(of.graph.idLimit()), writes(of.graph.idLimit()) {}
        const GraphModule* model;
        std::vector<std::uint32_t> value; ///< by node id: what it gives when it runs
        std::vector<bool> dependsOnInput;
        std::vector<bool> writes; ///< changes something in place
    };
    void pairNodes(const Counterparts& counterparts);
    void findExits();
    void compareOrder();
    void trace(const Side& side, NodeId exit, const std::vector<bool>& inside, std::vector<bool>& seen,
               std::vector<NodeId>& border, std::vector<NodeId>& run) const;

    Side m_a, m_b;
    std::vector<NodeId> m_counterparts, m_producerOf; ///< by node id of A; by value: a node of A
    std::vector<bool> m_changedA, m_changedB;
    std::vector<Pair> m_pairs; ///< counterparts that do something else
    std::vector<Pair> m_exits;
    bool m_identical = false, m_sameOutputs = false, m_changesInPlace = false;
};

} // namespace fx
