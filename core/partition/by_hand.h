// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/partition/partitioner.h"

namespace fx {

/// Manual partitions: the names of the nodes of each.
using NamedPartitions = std::vector<std::vector<std::string>>;

/// The nodes of manual partitions, each in graph order. Throws Error{Refused} if a name is unknown, or a node cannot be
/// in a partition (placeholder, output) or is in two.
std::vector<Partition> partitionsNamed(const Graph& graph, const NamedPartitions& names);

/// A cycle through a partition, which therefore cannot be a module: a path between two of its nodes over nodes outside.
/// Each step is an edge, or leads from one node to another of the same third partition. Empty if all partitions can be
/// modules, which takes O(nodes + edges).
struct Circle {
    std::size_t partition = 0; ///< index in the list
    std::vector<NodeId> way;
};
std::optional<Circle> circleOf(const Graph& graph, const std::vector<Partition>& partitions);

/// The path that would become a cycle if `a` and `b` were merged: out of one, over nodes of neither, into the other.
/// Empty if they can be merged. O(nodes + edges).
std::vector<NodeId> wayBetween(const Graph& graph, const std::vector<Partition>& partitions, std::size_t a,
                               std::size_t b);

} // namespace fx
