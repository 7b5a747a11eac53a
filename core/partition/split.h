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
    std::vector<NodeId> nodes;            ///< of the model before, in graph order
    std::optional<std::size_t> partition; ///< the partition that it is; none for a run of nodes between them
};

/// The number of the part of each call, by node id; kNoPart for nodes that are none.
struct SplitAssignment {
    static constexpr int kNoPart = -1;
    std::vector<int> partOf;
    std::vector<std::optional<std::size_t>> partitions; ///< by number: the partition that a part is
    bool inOrder = false;                               ///< each part is a run of nodes in graph order
};

/// torch.fx 2.13's split_module with `partOf` as the callback: each part becomes a GraphModule `submod_N`; the result
/// calls them in turn. Placeholders and get_attr stay outside and are passed in. Same names, same code; of the regions
/// that torch.fx keeps together by torch.amp and set_grad_enabled there must be none.
///
/// Where nodes write in place, parts that are `inOrder` stay in the order of the graph (keep_original_order of
/// torch.fx): only so each node reads what it did.
///
/// Throws Error{Refused} when parts depend on each other in a circle ("cycle exists between partitions!"), and when two
/// modules of one part would get one name (`a.b` and `a_b`). O(nodes + edges). `parts`: filled in the order of the
/// calls.
GraphModule splitModule(const GraphModule& model, const SplitAssignment& assignment,
                        std::vector<SplitPart>* parts = nullptr, const Progress& progress = {});

/// Parts for `lancet partition --split`: the partitions, and the runs of nodes between them, numbered in the order of
/// `quotientOrder`.
SplitAssignment splitByPartitions(const Graph& graph, const std::vector<Partition>& partitions);

/// What stages are balanced by.
enum class StageBalance : std::uint8_t { Parameters, Nodes, Time };
/// Milliseconds that nodes take, by name; see `lancet bench --per-node`.
using NodeTimes = std::unordered_map<std::string, double>;

/// Cuts the graph, in its order, into `count` stages of about the same weight. Of the places within a twentieth of a
/// stage of the balanced one the one is taken where the fewest bytes cross, or the fewest values when sizes are not
/// known. Throws Error{Refused} when there are more stages than calls, or nothing to balance by. O(nodes + edges).
/// `times`: with StageBalance::Time; nodes that are not in it take none.
SplitAssignment splitIntoStages(const GraphModule& model, std::size_t count, StageBalance balance,
                                const NodeTimes& times = {});

} // namespace fx
