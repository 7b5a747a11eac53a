// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/partition/partition_model.h"
#include "core/remote/run_message.h"
#include "core/timing/timing_result.h"

#include <chrono>

namespace fx::remote {

class WorkerClient;

/// The cost of partitions, each run separately as one module. Times are milliseconds.
///
///     whole   [a  b  c  d  e]              5.0     of which the nodes of partition 0 take 2.1, those of 1 take 2.4
///     split   [submod_0][submod_1][rest]   5.2     submod_0 2.2, submod_1 2.5, rest 0.4: crossing costs 0.2
struct PartitionTimes {
    std::vector<double> aloneMs;     ///< per partition, as a module of the split model
    std::vector<double> nodesMs;     ///< per partition: sum of its nodes within the whole model
    double betweenMs = 0;            ///< modules of the nodes outside partitions
    double wholeMs = 0, splitMs = 0; ///< medians of alternating runs without per-node timing
    timing::RatioTiming ratio;       ///< the split model against the whole model
    double otherLoad = 0;            ///< average number of CPUs kept busy by other processes

    double sumMs() const; ///< sum over all modules run separately
};

/// Returns the model with each partition as a module; `parts` receives a description of each module. An exported
/// program keeps its remaining inputs.
std::shared_ptr<const GraphModule> splitBy(const GraphModule& model, const std::vector<Partition>& partitions,
                                           std::vector<SplitPart>& parts);

/// Times `run.model`, the partitioned version in memory, and the same model split by the partitions. Takes O(nodes)
/// plus about `seconds` in the worker. Throws Error{Refused} if the partitions cannot be modules, else like
/// `WorkerClient::run`.
PartitionTimes timePartitions(WorkerClient& worker, RunRequest run, const std::vector<Partition>& partitions,
                              double seconds = 3, std::chrono::milliseconds timeout = {},
                              const Progress& progress = {});

} // namespace fx::remote
