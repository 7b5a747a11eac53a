// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/remote/message.h"
#include "core/timing/timing_result.h"

#include <chrono>

namespace fx::remote {

class WorkerClient;

/// Time models against the first of them; see `timing::measure` and `engine::timeNodes`.
struct BenchRequest {
    RunRequest run; ///< `run.model` is the first model; all get the same inputs, by name, else by place
    std::vector<ModelRef> others;
    std::vector<std::string> names; ///< what the result calls the models; empty: their paths
    double seconds = 10;            ///< for all variants together; first runs and nodes come on top
    bool nodes = false;             ///< also where the time goes, for half as long again
    bool ceiling = true;            ///< with nodes: measure what the machine can do
};

Frame toFrame(const BenchRequest& request, std::uint32_t number, bool local);
BenchRequest benchRequest(const Frame& frame);
/// A result travels as `timing::write` has it.
Frame toFrame(const timing::BenchResult& result, std::uint32_t number);
timing::BenchResult benchResult(const Frame& frame);

/// Asks the worker. Errors as those of `WorkerClient::run`; the model that failed is in `file`.
timing::BenchResult bench(WorkerClient& worker, const BenchRequest& request, std::chrono::milliseconds timeout = {},
                          const Progress& progress = {});

} // namespace fx::remote
