// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/partition/partitioner.h"

namespace fx {

/// A node, or a whole partition.
struct Unit {
    NodeId node = kNoNode; ///< kNoNode for a partition
    std::size_t partition = 0;
};

/// The graph with each partition contracted to one unit, in topological order: among the possible next units, the first
/// in graph order, where a partition counts at the position of its last node. O((nodes + edges) log nodes). Throws
/// Error{Refused} with the cycle if a partition is part of one.
std::vector<Unit> quotientOrder(const Graph& graph, const std::vector<Partition>& partitions);

/// torch.fx fuser_utils.topo_sort: inputs first, otherwise in list order. Throws if nodes are missing.
std::vector<NodeId> topoSorted(const Graph& graph, const std::vector<NodeId>& nodes);

/// The inputs of a partition from outside, in order of first use, and its nodes that are used outside, in order.
struct Boundary {
    std::vector<NodeId> inputs, outputs;
};
Boundary boundaryOf(const Graph& graph, const std::vector<NodeId>& sortedNodes);

/// Size in bytes of a node's value, from its metadata or the tensor that it reads; nullopt if unknown.
std::optional<std::int64_t> valueBytes(const Node& node, PathResolver& paths);

} // namespace fx
