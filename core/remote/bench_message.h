// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/remote/message.h"
#include "core/timing/timing_result.h"

#include <chrono>

namespace fx::remote {

class WorkerClient;

/// A request to time models against the first one; see `timing::measure` and `engine::timeNodes`.
struct BenchRequest {
    RunRequest run; ///< `run.model` is the first model; all get the same inputs, by name or else by position
    std::vector<ModelRef> others;
    std::vector<std::string> names; ///< names of the models in the result; their paths if empty
    double seconds = 10;            ///< for all variants together; first runs and nodes take additional time
    std::size_t fewestRounds = 1;   ///< as in `timing::SessionOptions`, with `mostSeconds`
    double mostSeconds = 0;
    bool nodes = false;  ///< also time nodes, for half as long again
    bool ceiling = true; ///< with nodes: measure the machine's ceiling
};

Frame toFrame(const BenchRequest& request, std::uint32_t number, bool local);
BenchRequest benchRequest(const Frame& frame);
/// Results are encoded by `timing::write`.
Frame toFrame(const timing::BenchResult& result, std::uint32_t number);
timing::BenchResult benchResult(const Frame& frame);

/// Asks the worker. Errors as in `WorkerClient::run`; `file` is the failing model.
timing::BenchResult bench(WorkerClient& worker, const BenchRequest& request, std::chrono::milliseconds timeout = {},
                          const Progress& progress = {});

} // namespace fx::remote
