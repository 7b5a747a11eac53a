// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/partition/partitioner.h"

namespace fx {

/// Partitions as somebody names them: the names of the nodes of each.
using NamedPartitions = std::vector<std::vector<std::string>>;

/// The nodes of partitions that were made by hand, each in graph order. Throws Error{Refused} when a name is none, the
/// node cannot be in a partition (placeholder, output), or is in two.
std::vector<Partition> partitionsNamed(const Graph& graph, const NamedPartitions& names);

/// The way by which a partition is left and entered again, so that it cannot be one module: from a node of it to a node
/// of it, over nodes outside it; each step is an edge, or goes from one node to another of the same third partition.
/// Empty when all of them can be modules. O(nodes + edges) while they can.
struct Circle {
    std::size_t partition = 0; ///< place in the list
    std::vector<NodeId> way;
};
std::optional<Circle> circleOf(const Graph& graph, const std::vector<Partition>& partitions);

/// The way that making `a` and `b` one would close: out of one of them, over nodes of neither, into the other. Empty
/// when they can be one. O(nodes + edges).
std::vector<NodeId> wayBetween(const Graph& graph, const std::vector<Partition>& partitions, std::size_t a,
                               std::size_t b);

} // namespace fx
