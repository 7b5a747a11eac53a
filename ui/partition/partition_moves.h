// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/partition/partition_run.h"

namespace ui {

/// Returns the partition that all `nodes` are in; -1 if they are in none, or in several.
int homeOf(const PartitionOutcome& outcome, const std::vector<fx::NodeId>& nodes);

/// Returns up to `most` partitions to which `nodes`, of which there is one at least, can be moved: first those that
/// they feed or are fed by, then the nearest ones in graph order.
std::vector<int> nearPartitions(const fx::Graph& graph, const PartitionOutcome& outcome,
                                const std::vector<fx::NodeId>& nodes, std::size_t most);

/// Returns partitions after moving the calls and attributes among `nodes` to the partition with this index: one of
/// them, a new one after the last, or -1 for no partition. Partitions may become empty.
std::vector<fx::Partition> movedTo(int partition, const std::vector<fx::NodeId>& nodes,
                                   std::vector<fx::Partition> partitions, const fx::Graph& graph);

} // namespace ui
