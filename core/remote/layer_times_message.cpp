// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/remote/layer_times_message.h"

#include "core/remote/bench_message.h"
#include "core/remote/json_fields.h"
#include "core/remote/worker_client.h"
#include "core/timing/machine_load.h"
#include "core/timing/statistics.h"

#include <algorithm>

namespace fx::remote {

Frame layerTimesFrame(const RunRequest& request, std::uint32_t number, bool local) {
    return toFrame(request, number, local, "layer_times");
}

Frame toFrame(const std::vector<onednn::LayerTimes>& times, std::uint32_t number) {
    JsonWriter json;
    json.beginObject().key("layers").beginArray();
    for (const onednn::LayerTimes& each : times) {
        json.beginObject().key("path").string(each.path);
        write(json.key("times"), each);
        json.endObject();
    }
    return {FrameKind::Result, number, json.endArray().endObject().text(), {}, {}};
}

std::vector<onednn::LayerTimes> layerTimesResult(const Frame& frame) {
    const auto document = JsonDocument::parse(frame.json);
    std::vector<onednn::LayerTimes> out;
    for (const JsonValue each : document->root().at("layers").needArray()) {
        out.push_back(onednn::readLayerTimes(each.at("times")));
        out.back().path = readText(each, "path");
    }
    return out;
}

std::vector<onednn::LayerTimes> layerTimes(WorkerClient& worker, const RunRequest& request,
                                           std::chrono::milliseconds timeout, const Progress& progress) {
    worker.start(progress);
    return layerTimesResult(
        worker.call(layerTimesFrame(request, worker.nextNumber(), worker.local()), timeout, progress));
}

onednn::WholeTimes wholeTimes(WorkerClient& worker, const RunRequest& run, const ModelRef& after, double seconds,
                              std::chrono::milliseconds timeout, const Progress& progress) {
    constexpr double kMostSeconds = 20; // for models that run for long
    BenchRequest request;
    request.run = run, request.others = {after}, request.names = {"before", "after"}, request.seconds = seconds;
    request.fewestRounds = timing::kFewestRounds, request.mostSeconds = kMostSeconds;
    if (timeout.count() > 0) // what was measured until then is better than an error
        request.mostSeconds = std::min(kMostSeconds, std::chrono::duration<double>(timeout).count() / 2);
    const timing::BenchResult result = bench(worker, request, timeout, progress);
    return {result.variants.at(0).medianMs, result.variants.at(1).medianMs, result.ratios.at(0), result.rounds,
            result.environment.noiseFloor,  doubts(result.environment)};
}

} // namespace fx::remote
