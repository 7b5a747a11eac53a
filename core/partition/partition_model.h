// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/partition/by_hand.h"
#include "core/partition/quotient.h"
#include "core/partition/split.h"
#include "core/partition/support_rules.h"

namespace fx {

/// What to do with a model: `lancet partition` and the step `partition`.
struct PartitionRequest {
    enum class Then : std::uint8_t { Report, Fuse, Split };
    std::optional<SupportRules> rules; ///< none: only with stages
    NamedPartitions assignment;        ///< not empty: these partitions, made by hand, instead of rules
    PartitionerOptions options;
    bool trimEnds = false; ///< removeBookendNonComputeOps
    Then then = Then::Report;
    std::size_t stages = 0; ///< not 0: cut into so many parts instead, and split
    StageBalance balance = StageBalance::Nodes;
    NodeTimes times; ///< with StageBalance::Time
};

/// What came of it. Node ids are those of the model before.
struct PartitionReport {
    struct Traffic {
        Boundary boundary;
        std::int64_t bytesIn = 0, bytesOut = 0;
        bool bytesKnown = true; ///< false: sizes of some are not known and count nothing
    };
    std::vector<Partition> partitions;
    std::vector<Traffic> traffic; ///< of each partition
    std::vector<UnassignedNode> unassigned;
    std::vector<NotMerged> notMerged;
    std::size_t supported = 0;        ///< nodes that the rules support
    std::vector<std::string> modules; ///< paths of the modules made, in the order of their calls or numbers
    std::vector<SplitPart> parts;     ///< with Then::Split
    Warnings warnings;
};

/// Partitions a model and explains it; `request.then` is not done. Throws Error{Refused} as below.
PartitionReport proposePartitions(const GraphModule& model, const PartitionRequest& request,
                                  const Progress& progress = {});

/// Partitions a model, explains it, and changes the model as asked. Where there is nothing to put together the model
/// stays as it is. Throws Error{Refused} and leaves the model as it was when that cannot be done.
PartitionReport partitionModel(GraphModule& model, const PartitionRequest& request, const Progress& progress = {});

} // namespace fx
