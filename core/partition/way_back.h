// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/partition/partitioner.h"

namespace fx {

/// Finds paths that leave a group of nodes and enter it or another group. `placeOf` holds the group of each node, by
/// node id, or Assignment::kNone. It and the graph must outlive this object and must not change.
class WayBack {
public:
    WayBack(const Graph& graph, const std::vector<std::int32_t>& placeOf);

    /// Returns the shortest path out of group `a`, through nodes of neither, into group `b` (which may be `a`). The
    /// path may cross a third group from any of its nodes to any other. Empty if there is no path. O(nodes and edges
    /// after `a`).
    std::vector<NodeId> find(std::int32_t a, std::int32_t b);

private:
    std::int32_t at(NodeId id) const { return m_placeOf[index(id)]; }
    void reach(NodeId node, NodeId from);
    bool isReached(NodeId node) const { return m_reached[index(node)] == m_search; }

    const Graph& m_graph;
    const std::vector<std::int32_t>& m_placeOf;
    std::vector<std::vector<NodeId>> m_members; ///< per group, in graph order
    /// By node id and by group: number of the last search that visited it.
    std::vector<std::uint32_t> m_reached, m_entered;
    std::vector<NodeId> m_from, m_queue;
    std::uint32_t m_search = 0;
};

/// Returns, by node id, the index of its partition. Throws Error{Refused} if a node is in two.
std::vector<std::int32_t> partitionPlaces(const Graph& graph, const std::vector<Partition>& partitions);

} // namespace fx
