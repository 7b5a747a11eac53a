// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/remote/layer_times_message.h"

#include "core/remote/bench_message.h"
#include "core/remote/json_fields.h"
#include "core/remote/worker_client.h"

namespace fx::remote {

Frame layerTimesFrame(const RunRequest& request, std::uint32_t number, bool local) {
    return toFrame(request, number, local, "layer_times");
}

Frame toFrame(const std::vector<onednn::LayerTimes>& times, std::uint32_t number) {
    JsonWriter json;
    json.beginObject().key("layers").beginArray();
    for (const onednn::LayerTimes& each : times) {
        json.beginObject().key("path").string(each.path);
        writeReal(json, "plain", each.plain);
        if (each.oneDnn) writeReal(json, "onednn", *each.oneDnn);
        if (each.mkl) writeReal(json, "mkl", *each.mkl);
        json.key("problem").string(each.problem).key("remembered").boolean(each.remembered).endObject();
    }
    return {FrameKind::Result, number, json.endArray().endObject().text(), {}, {}};
}

std::vector<onednn::LayerTimes> layerTimesResult(const Frame& frame) {
    const auto document = JsonDocument::parse(frame.json);
    const auto real = [](JsonValue object, std::string_view key) {
        const JsonValue value = object.find(key);
        return value.exists() ? std::optional(realOf(value)) : std::nullopt;
    };
    std::vector<onednn::LayerTimes> out;
    for (const JsonValue each : document->root().at("layers").needArray())
        out.push_back({readText(each, "path"), readReal(each, "plain"), real(each, "onednn"), real(each, "mkl"),
                       readText(each, "problem"), each.at("remembered").asBool()});
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
    BenchRequest request;
    request.run = run, request.others = {after}, request.names = {"before", "after"}, request.seconds = seconds;
    const timing::BenchResult result = bench(worker, request, timeout, progress);
    const timing::RatioTiming& ratio = result.ratios.at(0);
    return {
        result.variants.at(0).medianMs, result.variants.at(1).medianMs, ratio.ratio, ratio.ci95.low, ratio.ci95.high,
        result.variants.at(0).minMs,    result.variants.at(1).minMs};
}

} // namespace fx::remote
