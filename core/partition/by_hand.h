// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/partition/partitioner.h"

namespace fx {

/// Manual partitions, as lists of node names.
using NamedPartitions = std::vector<std::vector<std::string>>;

/// Returns the nodes of manual partitions, each in graph order. Throws Error{Refused} if a name is unknown, a node
/// cannot be in a partition (placeholder, output), or a node is in two.
std::vector<Partition> partitionsNamed(const Graph& graph, const NamedPartitions& names);

/// A cycle through a partition, which therefore cannot become a module.
struct Circle {
    std::size_t partition = 0; ///< index in the list of partitions
    std::vector<NodeId> way;   ///< path between two of its nodes through nodes outside
};
/// Returns the first cycle through a partition; nullopt if all partitions can become modules. A step of the cycle is
/// an edge, or leads from one node to another of the same other partition. O(nodes + edges).
std::optional<Circle> circleOf(const Graph& graph, const std::vector<Partition>& partitions);

/// Returns the path from one partition through nodes of neither into the other that merging `a` and `b` would turn
/// into a cycle. Empty if they can be merged. O(nodes + edges).
std::vector<NodeId> wayBetween(const Graph& graph, const std::vector<Partition>& partitions, std::size_t a,
                               std::size_t b);

} // namespace fx
