// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/partition/partitioner.h"

namespace fx {

/// Finds paths out of groups of nodes and back. `placeOf`: the group of each node, by node id, or Assignment::kNone; it
/// and the graph must not change meanwhile.
class WayBack {
public:
    WayBack(const Graph& graph, const std::vector<std::int32_t>& placeOf);

    /// The shortest path out of group `a`, over nodes of neither, into group `b` (which may be `a`); a third group may
    /// be crossed from any of its nodes to any other. Empty if there is none. O(nodes and edges that come after `a`).
    std::vector<NodeId> find(std::int32_t a, std::int32_t b);

private:
    std::int32_t at(NodeId id) const { return m_placeOf[index(id)]; }
    void reach(NodeId node, NodeId from);
    bool isReached(NodeId node) const { return m_reached[index(node)] == m_search; }

    const Graph& m_graph;
    const std::vector<std::int32_t>& m_placeOf;
    std::vector<std::vector<NodeId>> m_members;      ///< per group, in graph order
    std::vector<std::uint32_t> m_reached, m_entered; ///< by node id and by group: the last search that visited it
    std::vector<NodeId> m_from, m_queue;
    std::uint32_t m_search = 0;
};

/// By node id: the index of its partition. Throws Error{Refused} if a node is in two.
std::vector<std::int32_t> partitionPlaces(const Graph& graph, const std::vector<Partition>& partitions);

} // namespace fx
