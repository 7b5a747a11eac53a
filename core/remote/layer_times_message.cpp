// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/remote/layer_times_message.h"

#include "core/onednn/layer_memory.h"
#include "core/remote/bench_message.h"
#include "core/remote/json_fields.h"
#include "core/remote/worker_client.h"
#include "core/timing/machine_load.h"
#include "core/timing/operator_profile.h"
#include "core/timing/statistics.h"

#include <algorithm>

namespace fx::remote {

namespace {

/// The file of kept times for the worker's machine, and for the threads that are asked for.
std::string fileFor(const WorkerClient& worker, int threads) {
    const auto document = JsonDocument::parse(worker.machine());
    const JsonValue machine = document->root().find("machine"), known = document->root().find("threads");
    if (!machine.exists() || !known.exists()) return {};
    return onednn::layerMemoryFile(timing::cacheFolder(), readText(machine, "cpu"),
                                   threads > 0 ? threads : static_cast<int>(known.asInt()),
                                   "LibTorch " + readText(machine, "libtorch"));
}

} // namespace

Frame toFrame(const LayerTimesRequest& request, std::uint32_t number, bool local) {
    return toFrame(request.run, number, local, "layer_times",
                   [&request](JsonWriter& json, Frame&) { json.key("memory").string(request.memory); });
}

LayerTimesRequest layerTimesRequest(const Frame& frame) {
    return {runRequest(frame), readText(JsonDocument::parse(frame.json)->root(), "memory")};
}

Frame toFrame(const LayerTimesResult& result, std::uint32_t number) {
    JsonWriter json;
    json.beginObject().key("layers").beginArray();
    for (const onednn::LayerTimes& each : result.layers) {
        json.beginObject().key("path").string(each.path);
        write(json.key("times"), each);
        json.endObject();
    }
    json.endArray();
    if (result.memory) json.key("memory").string(*result.memory);
    return {FrameKind::Result, number, json.endObject().text(), {}, {}};
}

LayerTimesResult layerTimesResult(const Frame& frame) {
    const auto document = JsonDocument::parse(frame.json);
    LayerTimesResult out;
    for (const JsonValue each : document->root().at("layers").needArray()) {
        out.layers.push_back(onednn::readLayerTimes(each.at("times")));
        out.layers.back().path = readText(each, "path");
    }
    if (const JsonValue memory = document->root().find("memory"); memory.exists()) out.memory = memory.asText();
    return out;
}

std::vector<onednn::LayerTimes> layerTimes(WorkerClient& worker, const RunRequest& request,
                                           std::chrono::milliseconds timeout, const Progress& progress) {
    worker.start(progress);
    const std::string file = fileFor(worker, request.threads);
    const LayerTimesRequest asked{request, onednn::readLayerMemory(file)};
    LayerTimesResult result =
        layerTimesResult(worker.call(toFrame(asked, worker.nextNumber(), worker.local()), timeout, progress));
    if (result.memory) onednn::writeLayerMemory(file, *result.memory);
    return std::move(result.layers);
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
