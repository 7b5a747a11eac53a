// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/partition/by_hand.h"
#include "core/partition/quotient.h"
#include "core/partition/split.h"
#include "core/partition/support_rules.h"

namespace fx {

/// A request to partition a model, for `lancet partition` and the step `partition`.
struct PartitionRequest {
    enum class Then : std::uint8_t { Report, Fuse, Split }; ///< Fuse: fuseByPartitions; Split: splitModule
    std::optional<SupportRules> rules;                      ///< nullopt with stages or a manual assignment
    NamedPartitions assignment;                             ///< manual partitions that replace the rules; empty: none
    PartitionerOptions options;                             ///< used with rules
    bool trimEnds = false;                                  ///< call removeBookendNonComputeOps
    Then then = Then::Report;
    std::size_t stages = 0; ///< number of stages to split into, instead of partitions; 0: partitions
    StageBalance balance = StageBalance::Nodes;
    NodeTimes times; ///< with StageBalance::Time
};

/// The result of partitioning. Node ids refer to the original model.
struct PartitionReport {
    /// The values that cross the border of one partition.
    struct Traffic {
        Boundary boundary;
        std::int64_t bytesIn = 0, bytesOut = 0; ///< sizes of the values in `boundary`
        bool bytesKnown = true;                 ///< false if some sizes are unknown and count as 0
    };
    std::vector<Partition> partitions;
    std::vector<Traffic> traffic;           ///< per partition
    std::vector<UnassignedNode> unassigned; ///< calls outside all partitions, with reasons
    std::vector<NotMerged> notMerged;       ///< neighbouring pairs of partitions, with reasons
    std::size_t supported = 0;              ///< nodes that the rules support
    std::vector<std::string> modules;       ///< paths of the created modules, in the order of their calls or indices
    std::vector<SplitPart> parts;           ///< with Then::Split
    Warnings warnings;
};

/// Partitions a model and explains the result; ignores `request.then`. Throws Error{Refused} as `partitionModel`.
PartitionReport proposePartitions(const GraphModule& model, const PartitionRequest& request,
                                  const Progress& progress = {});

/// Partitions a model, explains the result, and changes the model as requested. Leaves it unchanged if there are no
/// partitions. Throws Error{Refused}, and leaves the model unchanged, if the request cannot be met.
PartitionReport partitionModel(GraphModule& model, const PartitionRequest& request, const Progress& progress = {});

} // namespace fx
