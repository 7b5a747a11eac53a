// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/partition/partitioner.h"

namespace fx {

/// A node, or a whole partition that stands for its nodes.
struct Unit {
    NodeId node = kNoNode; ///< kNoNode: a partition
    std::size_t partition = 0;
};

/// The graph with each partition drawn together, in an order in which inputs stand before users: of what could come
/// next the first of the graph, where a partition stands at the place of its last node. O((nodes + edges) log nodes).
/// Throws Error{Refused} that tells a way out of a partition and back when there is one.
std::vector<Unit> quotientOrder(const Graph& graph, const std::vector<Partition>& partitions);

/// torch.fx fuser_utils.topo_sort: inputs first, otherwise the order of the list. Throws when nodes are missing from
/// it.
std::vector<NodeId> topoSorted(const Graph& graph, const std::vector<NodeId>& nodes);

/// What goes into a partition from outside, in order of first use, and its nodes that are used outside, in order.
struct Boundary {
    std::vector<NodeId> inputs, outputs;
};
Boundary boundaryOf(const Graph& graph, const std::vector<NodeId>& sortedNodes);

/// Bytes of what a node produces, by its metadata or by the tensor that it reads; nullopt when that is not known.
std::optional<std::int64_t> valueBytes(const Node& node, PathResolver& paths);

} // namespace fx
