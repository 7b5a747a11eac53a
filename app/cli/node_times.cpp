// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/node_times.h"

#include "core/base/python_text.h"
#include "core/edit/steps/steps.h"
#include "core/io/pt2/pt2_json.h"
#include "core/remote/bench_message.h"

#include <algorithm>

namespace app {
namespace {

void writeWithTimes(fx::JsonWriter& json, const fx::JsonValue step, const fx::Graph& graph,
                    const fx::NodeTimes& times) {
    json.beginObject();
    for (const fx::JsonValue member : step) {
        json.key(member.key());
        fx::copyJson(json, member);
    }
    json.key("times").beginObject();
    for (const fx::Node& node : graph.nodes()) {
        const auto known = times.find(node.name());
        if (known == times.end()) continue;
        std::string ms;
        fx::appendPythonFloat(ms, known->second);
        json.key(node.name()).raw(ms);
    }
    json.endObject().endObject();
}

} // namespace

bool lacksTimes(fx::JsonValue step) {
    if (!step.isObject() || step.find("times").exists()) return false;
    const fx::JsonValue kind = step.find("step"), balance = step.find("balance");
    return kind.exists() && kind.isString() && kind.asText() == "partition" && balance.exists() && balance.isString() &&
           balance.asText() == "time";
}

fx::NodeTimes measuredTimes(const Session& session, const RunOptions& run, fx::remote::ModelRef model, double seconds) {
    fx::remote::BenchRequest request;
    request.run = run.request(session, {});
    request.names = {model.snapshot ? model.snapshot->path : model.path};
    request.run.model = std::move(model);
    request.seconds = seconds, request.nodes = true, request.ceiling = false;
    fx::remote::WorkerClient worker({});
    fx::NodeTimes times;
    const fx::timing::BenchResult measured = fx::remote::bench(worker, request, run.limit(), session.progress());
    for (const auto& node : measured.reports.front().nodes) times[node.name] = node.ms;
    return times;
}

std::shared_ptr<const fx::JsonDocument> stepsWithTimes(const Session& session, const RunOptions& run,
                                                       const fx::GraphModule& model,
                                                       const std::vector<fx::JsonValue>& steps) {
    auto version = std::make_shared<fx::GraphModule>(model);
    fx::JsonWriter json;
    json.beginArray();
    std::size_t done = 0;
    for (std::size_t i = 0; i < steps.size(); ++i) {
        if (!lacksTimes(steps[i])) {
            fx::copyJson(json, steps[i]);
            continue;
        }
        auto before = std::make_shared<fx::GraphModule>(*version);
        fx::applySteps(
            *before,
            {steps.begin() + static_cast<std::ptrdiff_t>(done), steps.begin() + static_cast<std::ptrdiff_t>(i)},
            session.progress());
        writeWithTimes(json, steps[i], before->graph,
                       measuredTimes(session, run, std::shared_ptr<const fx::GraphModule>(before)));
        const auto timed = fx::JsonDocument::parse(json.text() + "]");
        fx::JsonValue last;
        for (const fx::JsonValue each : timed->root()) last = each;
        fx::applySteps(*before, {last}, session.progress());
        version = std::move(before);
        done = i + 1;
    }
    return fx::JsonDocument::parse(json.endArray().text());
}

} // namespace app
