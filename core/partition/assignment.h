// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"
#include "core/ir/graph.h"

namespace fx {

/// The groups of supported nodes, before nodes are moved or groups dropped.
struct Assignment {
    static constexpr std::int32_t kNone = -1;
    std::vector<std::int32_t> groupOf; ///< by node id; kNone if the node is in no group
    std::vector<std::uint32_t> ids;    ///< per group: its final partition id in torch.fx
    /// By node id, if groups are levels: the user through which the node reaches lower groups. Else empty.
    std::vector<NodeId> next;
    std::vector<std::int32_t> reaches; ///< with `next`: by node id, the highest level at or below the node, or kNone
};

/// Groups nodes as torch.fx 2.13's CapabilityBasedPartitioner. O(nodes + edges). `isSupported` is by node id.
///
///     supported nodes a..e, unsupported U, V        level of a node: most unsupported runs on a path to the end
///        a ─▶ U ─▶ b ─▶ V ─▶ c        a: 2   b: 1   c: 0   d: 1   e: 0
///        d ──────────▶ V
///        e                             groups {c e}, {b d}, {a}
///
/// torch.fx walks the graph backwards and tries to merge each new node with all partitions, oldest first, unless that
/// creates a cycle. Each partition then reaches every older one through a node outside both, so no two can be merged.
/// A new node joins the oldest partition that it does not reach through an outside node, which is the level above.
Assignment assignLevels(const Graph& graph, const std::vector<bool>& isSupported, const Progress& progress = {});

/// As `assignLevels`, with skip_horizontal_fusion: a new node is only merged with the partitions of its users. Near
/// linear if there are far fewer partitions than nodes; nodes share sets of reached partitions.
Assignment assignVertically(const Graph& graph, const std::vector<bool>& isSupported, const Progress& progress = {});

} // namespace fx
