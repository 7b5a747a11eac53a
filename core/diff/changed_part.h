// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"
#include "core/module/graph_module.h"

#include <unordered_map>
#include <vector>

namespace fx {

class CallSemantics;
class Counterparts;

/// Compares the values that two models compute, given only their graphs and weights, and finds where those graphs or
/// weights differ.
///
/// Values are numbered over both graphs at once: nodes that compute the same on the same values get the same number,
/// whatever their names. Where a node of A and its counterpart in B compute something different, their values are
/// *assumed* to be equal, so all nodes after them are unchanged again; `exits` are the pairs for which this was
/// assumed. Running the regions that lead to them on the same values in both models tests the assumption,
/// independently of the rest of the model:
///
///     a:  x ─ conv1 ─ bn1 ─ relu ─ fc          exits: (relu, relu)
///     b:  x ─ conv1'─────── relu ─ fc          entries of the region that leads there: x
///
/// A node that reads a value after an in-place write reads a new value: after `y = x.relu_()`, both `x` and `y` are
/// the value of `y`. A write to memory that nothing else reads (`x.clone().add_(1)`) counts as a call that does not
/// write. `sameOutputs` is false if anything is changed in place.
class ChangedPart {
public:
    /// Compares the models down to the bytes of their tensors; see `Content`. Linear. Throws Error{File},
    /// Error{Cancelled}.
    ChangedPart(const GraphModule& a, const GraphModule& b, const Progress& progress = {});

    using Pair = std::pair<NodeId, NodeId>; ///< of A, of B
    /// Returns the counterpart in B of a node of A, or its replacement; kNoNode if it has neither. See `Counterparts`.
    NodeId counterpart(NodeId a) const { return m_counterparts[index(a)]; }
    /// True if both have the same nodes in the same order with the same weights, whatever their names.
    bool identical() const { return m_identical; }
    /// True if the models return the same because the same nodes compute it, as after erasing dead code or merging
    /// common subexpressions.
    bool sameOutputs() const { return m_sameOutputs; }
    /// Names of inputs whose default differs, or that have a default in one model only; `identical` and `sameOutputs`
    /// are then false.
    const std::vector<std::string>& otherDefaults() const { return m_otherDefaults; }
    /// True if the model's result, or a side effect, depends on the node of A.
    bool isLive(NodeId a) const { return m_a.live[index(a)]; }
    /// Paths of tensors that differ and that no live node of either model uses, sorted; `identical` is then false.
    const std::vector<std::string>& otherUnused() const { return m_otherUnused; }
    /// Pairs of nodes assumed to be equal, in the order of A. Excludes nodes that are live in neither model.
    const std::vector<Pair>& exits() const { return m_exits; }
    /// True if the node of A computes something other than its counterpart, or has none.
    bool isChangedA(NodeId a) const { return m_changedA[index(a)]; }
    /// True if the node of B computes something other than its counterpart, or has none.
    bool isChangedB(NodeId b) const { return m_changedB[index(b)]; }
    /// The same for a node of B or of A.
    bool isChanged(bool inB, NodeId id) const { return inB ? isChangedB(id) : isChangedA(id); }
    /// True if two nodes of A have the same value.
    bool isSameValue(NodeId x, NodeId y) const { return m_a.value[index(x)] == m_a.value[index(y)]; }
    /// True if both nodes are the same call on the same values, so only weights or settings of the called module
    /// differ.
    bool isSameCall(const Pair& pair) const;
    /// Nodes that have the same value at the border of a region.
    struct Entry {
        std::vector<NodeId> a, b;  ///< border nodes in each model; one may be empty
        NodeId producer = kNoNode; ///< a node of A with this value
    };
    /// The nodes that compute some pairs from unchanged values.
    struct Region {
        std::vector<Pair> exits;    ///< the pairs that the region computes
        std::vector<Entry> entries; ///< values that depend on the models' inputs; the region computes constants itself
        std::vector<NodeId> a, b;   ///< the nodes of each model in the region, including constants and nodes that write
        std::size_t size = 0;       ///< number of nodes of A in it that depend on the inputs
        std::vector<NodeId> producers() const; ///< the producers of its entries
    };
    /// Returns the region that computes `exits`. `alsoA` marks unchanged nodes of A, by id, to include.
    Region regionOf(std::vector<Pair> exits, const std::vector<bool>& alsoA = {}) const;

private:
    class Numbering;
    struct Side {
        explicit Side(const GraphModule& of)
            : model(&of), value(of.graph.idLimit()), dependsOnInput(of.graph.idLimit()), writes(of.graph.idLimit()),
              live(of.graph.idLimit()), memory(of.graph.idLimit(), kNoNode) {}
        const GraphModule* model;
        std::vector<std::uint32_t> value; ///< by node id: number of its value
        std::vector<bool> dependsOnInput;
        std::vector<bool> writes; ///< by node id: changes a value in place
        std::vector<bool> live;
        std::vector<NodeId> memory; ///< by node id: the node that allocated the memory of its value
        std::unordered_map<NodeId, std::vector<NodeId>> writers; ///< by memory that a call allocated, in order
    };
    class Trace;
    void pairNodes(const Counterparts& counterparts);
    void pairValues(std::uint32_t known);
    static void findLive(Side& side, const CallSemantics& semantics);
    void findExits();
    void compareUnused(Numbering& numbering);
    void compareOrder();
    void compareDefaults(const GraphModule& a, const GraphModule& b);

    Side m_a, m_b;
    std::vector<NodeId> m_counterparts, m_producerOf; ///< by node id of A; by value: a node of A
    std::vector<bool> m_changedA, m_changedB;
    std::vector<Pair> m_pairs; ///< counterparts that compute something different
    std::vector<Pair> m_exits;
    std::vector<std::string> m_otherDefaults, m_otherUnused;
    bool m_identical = false, m_sameOutputs = false, m_changesInPlace = false;
};

} // namespace fx
