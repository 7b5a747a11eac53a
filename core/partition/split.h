// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/partition/partitioner.h"

#include <string>
#include <unordered_map>

namespace fx {

/// One part of a split model.
struct SplitPart {
    std::string name;                     ///< "submod_3"
    int number = 0;                       ///< number in `SplitAssignment::partOf`
    std::vector<NodeId> nodes;            ///< nodes of the original model, in graph order
    std::optional<std::size_t> partition; ///< index of its partition; nullopt for nodes between partitions
};

/// Assigns calls to parts, by node id; other nodes have kNoPart.
struct SplitAssignment {
    static constexpr int kNoPart = -1;
    std::vector<int> partOf;                            ///< by node id; kNoPart for nodes that are not calls
    std::vector<std::optional<std::size_t>> partitions; ///< per part: the index of its partition, if any
    bool inOrder = false;                               ///< each part is a contiguous run of nodes in graph order
};

/// Moves each part into a GraphModule `submod_N`; the resulting model calls them in order. Mirrors torch.fx 2.13's
/// split_module with `partOf` as the callback, with the same names and code. Placeholder and get_attr nodes stay
/// outside, and their values are passed in. The regions that torch.fx keeps together for torch.amp and
/// set_grad_enabled are not supported.
///
/// If nodes write in place, parts that are `inOrder` keep the graph order (torch.fx's keep_original_order), so each
/// node reads the same values as before.
///
/// Throws Error{Refused} if parts depend on each other in a cycle ("cycle exists between partitions!"), or if two
/// modules of one part would get the same name (`a.b` and `a_b`). O(nodes + edges). `parts` is filled in the order of
/// the calls.
GraphModule splitModule(const GraphModule& model, const SplitAssignment& assignment,
                        std::vector<SplitPart>* parts = nullptr, const Progress& progress = {});

/// Returns parts for `lancet partition --split`: the partitions and the runs of nodes between them, numbered in the
/// order of `quotientOrder`.
SplitAssignment splitByPartitions(const Graph& graph, const std::vector<Partition>& partitions);

/// The quantity to balance between stages.
enum class StageBalance : std::uint8_t { Parameters, Nodes, Time };
/// Milliseconds per node, by node name; see `lancet bench --per-node`.
using NodeTimes = std::unordered_map<std::string, double>;

/// Cuts the graph, in order, into `count` stages of about equal weight. Within a twentieth of a stage around the
/// balanced position, it cuts where the fewest bytes cross, or the fewest values if sizes are unknown. `times` is used
/// with StageBalance::Time; missing nodes count as 0. Throws Error{Refused} if there are more stages than calls, or
/// all weights are 0. O(nodes + edges).
SplitAssignment splitIntoStages(const GraphModule& model, std::size_t count, StageBalance balance,
                                const NodeTimes& times = {});

} // namespace fx
