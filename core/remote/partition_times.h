// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/partition/partition_model.h"
#include "core/remote/message.h"
#include "core/timing/timing_result.h"

#include <chrono>

namespace fx::remote {

class WorkerClient;

/// What partitions cost, each run by itself as one module. Times are milliseconds.
///
///     whole   [a  b  c  d  e]              5.0     of which the nodes of partition 0 take 2.1, those of 1 take 2.4
///     split   [submod_0][submod_1][rest]   5.2     submod_0 2.2, submod_1 2.5, rest 0.4: crossing costs 0.2
struct PartitionTimes {
    std::vector<double> aloneMs;     ///< of each partition, as a module of the split model
    std::vector<double> nodesMs;     ///< of each partition: its nodes where they stand in the whole model, summed
    double betweenMs = 0;            ///< of the modules of nodes that are in no partition
    double wholeMs = 0, splitMs = 0; ///< medians of runs that nothing looks into, in turns
    timing::RatioTiming ratio;       ///< the split model against the whole one
    double otherLoad = 0;            ///< processors kept busy by other processes meanwhile, on average

    double sumMs() const; ///< of all modules by themselves
};

/// The model with each partition as a module, and in `parts` which module is which; of an exported program with the
/// inputs that it still has.
std::shared_ptr<const GraphModule> splitBy(const GraphModule& model, const std::vector<Partition>& partitions,
                                           std::vector<SplitPart>& parts);

/// Times `run.model`, a version in memory that the partitions are of, and the same model split by them. O(nodes) and
/// some `seconds` in the worker. Throws Error{Refused} when the partitions are no modules, else as `WorkerClient::run`.
PartitionTimes timePartitions(WorkerClient& worker, RunRequest run, const std::vector<Partition>& partitions,
                              double seconds = 3, std::chrono::milliseconds timeout = {},
                              const Progress& progress = {});

} // namespace fx::remote
