// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/partition/partitioner.h"

#include <span>

namespace fx {

/// The graph with each partition contracted to one unit, for topological traversal:
///
///     a ─▶ b ─▶ c ─▶ d      partition {a c}:  a waits for b, which waits for a: neither becomes free
///
/// A unit is the index of a partition, or `partitions.size() + index(id)` for a node without a partition.
class UnitGraph {
public:
    /// Throws Error{Refused} if a node is in two partitions. The graph and the partitions must not change during the
    /// lifetime of this object. O(nodes + edges).
    UnitGraph(const Graph& graph, const std::vector<Partition>& partitions);

    /// Returns the unit of a node.
    std::uint32_t of(NodeId id) const;
    /// True for a partition, false for a node.
    bool isPartition(std::uint32_t unit) const { return unit < m_partitions.size(); }
    /// Returns the nodes of a unit.
    std::span<const NodeId> members(std::uint32_t unit) const;
    /// The upper limit of unit numbers.
    std::size_t limit() const { return m_waits.size(); }
    /// By node id: the index of its partition, or Assignment::kNone.
    const std::vector<std::int32_t>& places() const { return m_placeOf; }

    /// Returns the units without pending inputs, in the order of their first nodes.
    std::vector<std::uint32_t> free() const;
    /// Removes a free unit; calls `freed` for each unit that becomes free.
    template<typename Freed> void take(std::uint32_t unit, Freed&& freed) {
        for (const NodeId member : members(unit))
            for (const NodeId user : m_graph.node(member).users())
                if (const std::uint32_t next = of(user); next != unit && --m_waits[next] == 0) freed(next);
    }
    /// True while the unit has inputs from units that are not removed.
    bool waits(std::uint32_t unit) const { return m_waits[unit] > 0; }

private:
    const Graph& m_graph;
    const std::vector<Partition>& m_partitions;
    std::vector<std::int32_t> m_placeOf;
    std::vector<NodeId> m_nodes;        ///< by node id: the id itself, so that a single node has a span
    std::vector<std::uint32_t> m_waits; ///< by unit: number of edges from remaining units
};

} // namespace fx
