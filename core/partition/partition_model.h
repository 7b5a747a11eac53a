// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/partition/by_hand.h"
#include "core/partition/quotient.h"
#include "core/partition/split.h"
#include "core/partition/support_rules.h"

namespace fx {

/// A request to partition a model, for `lancet partition` and the step `partition`.
struct PartitionRequest {
    enum class Then : std::uint8_t { Report, Fuse, Split };
    std::optional<SupportRules> rules; ///< nullopt only with stages
    NamedPartitions assignment;        ///< if not empty, manual partitions instead of rules
    PartitionerOptions options;
    bool trimEnds = false; ///< removeBookendNonComputeOps
    Then then = Then::Report;
    std::size_t stages = 0; ///< if not 0, split into this number of stages instead
    StageBalance balance = StageBalance::Nodes;
    NodeTimes times; ///< with StageBalance::Time
};

/// The result of partitioning. Node ids refer to the original model.
struct PartitionReport {
    struct Traffic {
        Boundary boundary;
        std::int64_t bytesIn = 0, bytesOut = 0;
        bool bytesKnown = true; ///< false if some sizes are unknown and count as 0
    };
    std::vector<Partition> partitions;
    std::vector<Traffic> traffic; ///< per partition
    std::vector<UnassignedNode> unassigned;
    std::vector<NotMerged> notMerged;
    std::size_t supported = 0;        ///< nodes that the rules support
    std::vector<std::string> modules; ///< paths of the created modules, in the order of their calls or numbers
    std::vector<SplitPart> parts;     ///< with Then::Split
    Warnings warnings;
};

/// Partitions a model and explains the result, without executing `request.then`. Throws Error{Refused} as below.
PartitionReport proposePartitions(const GraphModule& model, const PartitionRequest& request,
                                  const Progress& progress = {});

/// Partitions a model, explains the result, and changes the model as requested. Without partitions, the model stays
/// unchanged. Throws Error{Refused} and leaves the model unchanged if that is impossible.
PartitionReport partitionModel(GraphModule& model, const PartitionRequest& request, const Progress& progress = {});

} // namespace fx
