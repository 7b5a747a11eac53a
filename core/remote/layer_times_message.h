// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/onednn/layer_times.h"
#include "core/remote/message.h"

#include <chrono>

namespace fx::remote {

class WorkerClient;

/// The verb "layer_times": the times of the fused layers of `run.model`, by `engine::timeLayers`.
Frame layerTimesFrame(const RunRequest& request, std::uint32_t number, bool local);
Frame toFrame(const std::vector<onednn::LayerTimes>& times, std::uint32_t number);
std::vector<onednn::LayerTimes> layerTimesResult(const Frame& frame);

/// Asks the worker. Errors as in `WorkerClient::call`.
std::vector<onednn::LayerTimes> layerTimes(WorkerClient& worker, const RunRequest& request,
                                           std::chrono::milliseconds timeout = {}, const Progress& progress = {});
/// `run.model` against `after`, in alternation for some `seconds`, or longer where models run for long: until there are
/// enough rounds for an interval, up to 20 seconds or half of `timeout`; likewise.
onednn::WholeTimes wholeTimes(WorkerClient& worker, const RunRequest& run, const ModelRef& after, double seconds = 1,
                              std::chrono::milliseconds timeout = {}, const Progress& progress = {});

} // namespace fx::remote
