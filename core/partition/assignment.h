// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"
#include "core/ir/graph.h"

namespace fx {

/// The groups of supported nodes, before anything is moved or dropped.
struct Assignment {
    static constexpr std::int32_t kNone = -1;
    std::vector<std::int32_t> groupOf; ///< by node id; kNone if the node is in no group
    std::vector<std::uint32_t> ids;    ///< per group: the final partition id in torch.fx
    /// Per node, if groups are levels: the user through which it reaches the lower groups. Else empty.
    std::vector<NodeId> next;
    std::vector<std::int32_t> reaches; ///< with `next`: per node, the highest level at or below it, or kNone
};

/// Groups nodes like torch.fx 2.13's CapabilityBasedPartitioner. O(nodes + edges). `isSupported`: by node id.
///
///     supported nodes a..e, unsupported U, V        level of a node: the maximum number of unsupported runs on a path
///     to the end
///        a ─▶ U ─▶ b ─▶ V ─▶ c        a: 2   b: 1   c: 0   d: 1   e: 0
///        d ──────────▶ V
///        e                             groups {c e}, {b d}, {a}
///
/// torch.fx walks the graph backwards and tries to merge each new node with all partitions, oldest first, unless that
/// creates a cycle. Then each partition reaches every older one through a node outside both, so no two of them can be
/// merged, and a new node joins the oldest partition that it does not reach through an outside node: this is the level
/// above.
Assignment assignLevels(const Graph& graph, const std::vector<bool>& isSupported, const Progress& progress = {});

/// The same with skip_horizontal_fusion: a new node is only merged with the partitions of its users. Near linear if
/// there are far fewer partitions than nodes; nodes share sets of reached partitions.
Assignment assignVertically(const Graph& graph, const std::vector<bool>& isSupported, const Progress& progress = {});

} // namespace fx
