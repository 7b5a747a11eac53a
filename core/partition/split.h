// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/partition/partitioner.h"

#include <string>
#include <unordered_map>

namespace fx {

/// One part of a split model.
struct SplitPart {
    std::string name; ///< "submod_3"
    int number = 0;
    std::vector<NodeId> nodes;            ///< of the original model, in graph order
    std::optional<std::size_t> partition; ///< index of its partition; nullopt for a run of nodes in between
};

/// The part of each call, by node id; kNoPart for other nodes.
struct SplitAssignment {
    static constexpr int kNoPart = -1;
    std::vector<int> partOf;
    std::vector<std::optional<std::size_t>> partitions; ///< per part: the index of its partition
    bool inOrder = false;                               ///< whether each part is a run of nodes in graph order
};

/// torch.fx 2.13's split_module with `partOf` as the callback: each part becomes a GraphModule `submod_N`; the result
/// calls them in order. Placeholders and get_attr stay outside and are passed in. Same names, same code. Regions that
/// torch.fx keeps together for torch.amp and set_grad_enabled are not supported.
///
/// If nodes write in place, parts that are `inOrder` stay in graph order (keep_original_order of torch.fx), so that
/// each node reads the same values as before.
///
/// Throws Error{Refused} if parts depend on each other in a cycle ("cycle exists between partitions!"), or if two
/// modules of one part would get the same name (`a.b` and `a_b`). O(nodes + edges). `parts` is filled in the order of
/// the calls.
GraphModule splitModule(const GraphModule& model, const SplitAssignment& assignment,
                        std::vector<SplitPart>* parts = nullptr, const Progress& progress = {});

/// Parts for `lancet partition --split`: the partitions, and the runs of nodes between them, numbered in the order of
/// `quotientOrder`.
SplitAssignment splitByPartitions(const Graph& graph, const std::vector<Partition>& partitions);

/// What to balance between stages.
enum class StageBalance : std::uint8_t { Parameters, Nodes, Time };
/// Milliseconds that nodes take, by name; see `lancet bench --per-node`.
using NodeTimes = std::unordered_map<std::string, double>;

/// Cuts the graph, in order, into `count` stages of about equal weight. Within a twentieth of a stage around the
/// balanced position, it cuts where the fewest bytes cross, or the fewest values if sizes are unknown. Throws
/// Error{Refused} if there are more stages than calls, or nothing to balance by. O(nodes + edges). `times`: with
/// StageBalance::Time; missing nodes count as 0.
SplitAssignment splitIntoStages(const GraphModule& model, std::size_t count, StageBalance balance,
                                const NodeTimes& times = {});

} // namespace fx
