// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/partition/partitioner.h"

namespace fx {

/// Finds ways out of groups of nodes and back. `placeOf`: the group of each node, by node id, Assignment::kNone for
/// none; it and the graph stay as they are meanwhile.
class WayBack {
public:
    WayBack(const Graph& graph, const std::vector<std::int32_t>& placeOf);

    /// The shortest way out of group `a`, over nodes of neither, into group `b` (which may be `a`); a third group is
    /// crossed from any of its nodes to any other. Empty when there is none. O(nodes and edges that come after `a`).
    std::vector<NodeId> find(std::int32_t a, std::int32_t b);

private:
    std::int32_t at(NodeId id) const { return m_placeOf[index(id)]; }
    void reach(NodeId node, NodeId from);
    bool isReached(NodeId node) const { return m_reached[index(node)] == m_search; }

    const Graph& m_graph;
    const std::vector<std::int32_t>& m_placeOf;
    std::vector<std::vector<NodeId>> m_members;      ///< of each group, in graph order
    std::vector<std::uint32_t> m_reached, m_entered; ///< by node id and by group: the last search that came there
    std::vector<NodeId> m_from, m_queue;
    std::uint32_t m_search = 0;
};

/// By node id: the place of the partition that a node is in. Throws Error{Refused} when a node is in two.
std::vector<std::int32_t> partitionPlaces(const Graph& graph, const std::vector<Partition>& partitions);

} // namespace fx
