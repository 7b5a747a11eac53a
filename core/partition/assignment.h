// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"
#include "core/ir/graph.h"

namespace fx {

/// Which supported node goes with which, before anything is moved or dropped.
struct Assignment {
    static constexpr std::int32_t kNone = -1;
    std::vector<std::int32_t> groupOf; ///< by node id; kNone when the node is in no group
    std::vector<std::uint32_t> ids;    ///< of each group: the partition id that torch.fx ends with
    /// Of each node, when groups are levels: the user through which its way to the lower groups leads. Else empty.
    std::vector<NodeId> next;
    std::vector<std::int32_t>
        reaches; ///< with `next`: of each node the highest level below or at it, kNone when there is none
};

/// Groups as torch.fx 2.13's CapabilityBasedPartitioner makes them. O(nodes + edges). `isSupported`: by node id.
///
///     supported nodes a..e, unsupported U, V        level of a node: the most unsupported runs on a way from it to the
///     end
///        a ─▶ U ─▶ b ─▶ V ─▶ c        a: 2   b: 1   c: 0   d: 1   e: 0
///        d ──────────▶ V
///        e                             groups {c e}, {b d}, {a}
///
/// torch.fx walks the graph backwards and tries to merge each new node with all partitions, oldest first, unless that
/// closes a cycle. With all tried, each partition reaches every older one through something outside both; so no two of
/// them can ever be merged, and a new node joins the oldest that it does not reach through something outside: that is
/// the level above.
Assignment assignLevels(const Graph& graph, const std::vector<bool>& isSupported, const Progress& progress = {});

/// The same with skip_horizontal_fusion: a new node is tried only with the partitions of its users. Near linear where
/// partitions are few against nodes; sets of reached partitions are shared between nodes.
Assignment assignVertically(const Graph& graph, const std::vector<bool>& isSupported, const Progress& progress = {});

} // namespace fx
