// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/partition/partitioner.h"

namespace fx {

/// A node, or a whole partition.
struct Unit {
    NodeId node = kNoNode;     ///< kNoNode for a partition
    std::size_t partition = 0; ///< index of the partition; unused for a node
};

/// Returns the graph with each partition contracted to one unit, in topological order. Among the available units, the
/// first in graph order comes next; a partition counts at the position of its last node. O((nodes + edges) log nodes).
/// Throws Error{Refused} with the cycle if a partition is part of one.
std::vector<Unit> quotientOrder(const Graph& graph, const std::vector<Partition>& partitions);

/// Returns the nodes in topological order, otherwise in list order. Mirrors torch.fx's fuser_utils.topo_sort. Throws
/// if nodes are missing.
std::vector<NodeId> topoSorted(const Graph& graph, const std::vector<NodeId>& nodes);

/// The values that cross the border of a partition: its inputs from outside, in order of first use, and its nodes with
/// users outside, in order.
struct Boundary {
    std::vector<NodeId> inputs, outputs;
};
/// Returns the boundary of these nodes.
Boundary boundaryOf(const Graph& graph, const std::vector<NodeId>& sortedNodes);

/// Returns the size in bytes of a node's value, from its metadata or the tensor that it reads; nullopt if unknown.
std::optional<std::int64_t> valueBytes(const Node& node, PathResolver& paths);

} // namespace fx
