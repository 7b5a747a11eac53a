// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/remote/bench_message.h"

#include "core/remote/json_fields.h"
#include "core/remote/worker_client.h"
#include "core/timing/kept_ceiling.h"
#include "core/timing/operator_profile.h"
#include "core/timing/timing_json.h"

#include <cmath>

namespace fx::remote {

Frame toFrame(const BenchRequest& request, std::uint32_t number, bool local) {
    return toFrame(request.run, number, local, "bench", [&request](JsonWriter& json, Frame& frame) {
        json.key("others").beginArray();
        for (const ModelRef& each : request.others) writeModel(json, each, frame);
        json.endArray();
        json.key("names").strings(request.names);
        json.key("millis")
            .integer(std::llround(request.seconds * 1000))
            .key("fewest_rounds")
            .integer(static_cast<std::int64_t>(request.fewestRounds))
            .key("most_millis")
            .integer(std::llround(request.mostSeconds * 1000))
            .key("nodes")
            .boolean(request.nodes)
            .key("ceiling")
            .boolean(request.ceiling);
    });
}

BenchRequest benchRequest(const Frame& frame) {
    const auto document = JsonDocument::parse(frame.json);
    const JsonValue root = document->root();
    BenchRequest out;
    out.run = runRequest(frame);
    for (const JsonValue each : root.at("others").needArray()) out.others.push_back(readModel(each));
    out.names = root.at("names").texts();
    out.seconds = static_cast<double>(root.at("millis").asInt()) / 1000;
    out.fewestRounds = static_cast<std::size_t>(root.at("fewest_rounds").asInt());
    out.mostSeconds = static_cast<double>(root.at("most_millis").asInt()) / 1000;
    out.nodes = root.at("nodes").asBool(), out.ceiling = root.at("ceiling").asBool();
    return out;
}

Frame toFrame(const timing::BenchResult& result, std::uint32_t number) {
    return {FrameKind::Result, number, timing::toJson(result), {}, {}};
}

timing::BenchResult benchResult(const Frame& frame) {
    return timing::readBenchResult(JsonDocument::parse(frame.json)->root());
}

timing::BenchResult bench(WorkerClient& worker, const BenchRequest& request, std::chrono::milliseconds timeout,
                          const Progress& progress) {
    worker.start(progress);
    timing::BenchResult result =
        benchResult(worker.call(toFrame(request, worker.nextNumber(), worker.local()), timeout, progress));
    if (auto& ceiling = result.environment.ceiling) {
        *ceiling = timing::keptCeiling(*ceiling, result.environment, timing::cacheFolder());
        for (timing::NodeReport& report : result.reports) timing::applyCeiling(report, *ceiling);
    }
    return result;
}

} // namespace fx::remote
