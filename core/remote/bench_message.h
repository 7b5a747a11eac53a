// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/remote/run_message.h"
#include "core/timing/timing_result.h"

#include <chrono>

namespace fx::remote {

class WorkerClient;

/// A request to time models against the first one; see `timing::measure` and `engine::timeNodes`.
struct BenchRequest {
    RunRequest run; ///< `run.model` is the first model; all models get the same inputs, by name or else by position
    std::vector<ModelRef> others;
    std::vector<std::string> names; ///< names of the models in the result; their paths if empty
    double seconds = 10;            ///< for all variants together; first runs and per-node timing take additional time
    std::size_t fewestRounds = 1;   ///< as in `timing::SessionOptions`, with `mostSeconds`
    double mostSeconds = 0;
    bool nodes = false;  ///< also time nodes, which takes half as long again
    bool ceiling = true; ///< with nodes: measure the machine's ceiling
};

/// Encodes the request. `local`: see `toFrame(RunRequest)`.
Frame toFrame(const BenchRequest& request, std::uint32_t number, bool local);
/// Decodes the request. Throws Error for invalid messages.
BenchRequest benchRequest(const Frame& frame);
/// Encodes the result with `timing::write`.
Frame toFrame(const timing::BenchResult& result, std::uint32_t number);
/// Decodes the result. Throws Error for invalid messages.
timing::BenchResult benchResult(const Frame& frame);

/// Sends the request to the worker and waits. Throws like `WorkerClient::run`; `Error::file` is the failing model.
timing::BenchResult bench(WorkerClient& worker, const BenchRequest& request, std::chrono::milliseconds timeout = {},
                          const Progress& progress = {});

} // namespace fx::remote
