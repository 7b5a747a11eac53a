// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/onednn/layer_times.h"
#include "core/remote/run_message.h"

#include <chrono>

namespace fx::remote {

class WorkerClient;

/// The verb "layer_times": times the fused layers of `run.model` with `engine::timeLayers`.
struct LayerTimesRequest {
    RunRequest run;
    std::string memory; ///< the text of `onednn::LayerMemory`, with the known times
};
/// The measured times.
struct LayerTimesResult {
    std::vector<onednn::LayerTimes> layers;
    std::optional<std::string> memory; ///< replaces the memory for later requests; nullopt if unchanged
};
/// Encodes the request. `local`: see `toFrame(RunRequest)`.
Frame toFrame(const LayerTimesRequest& request, std::uint32_t number, bool local);
/// Decodes the request. Throws Error for invalid messages.
LayerTimesRequest layerTimesRequest(const Frame& frame);
/// Encodes the result.
Frame toFrame(const LayerTimesResult& result, std::uint32_t number);
/// Decodes the result. Throws Error for invalid messages.
LayerTimesResult layerTimesResult(const Frame& frame);

/// Times the layers in the worker. Reads the times that this machine already knows from the cache and updates it.
/// Throws like `WorkerClient::call`.
std::vector<onednn::LayerTimes> layerTimes(WorkerClient& worker, const RunRequest& request,
                                           std::chrono::milliseconds timeout = {}, const Progress& progress = {});
/// Times `run.model` and `after` alternately for about `seconds`. Slow models run longer, until there are enough rounds
/// for an interval, but at most 20 seconds or half of `timeout`. Throws like `WorkerClient::run`.
onednn::WholeTimes wholeTimes(WorkerClient& worker, const RunRequest& run, const ModelRef& after, double seconds = 1,
                              std::chrono::milliseconds timeout = {}, const Progress& progress = {});

} // namespace fx::remote
