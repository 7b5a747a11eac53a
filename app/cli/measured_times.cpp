// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/measured_times.h"

#include "core/base/python_text.h"
#include "core/edit/steps/steps.h"
#include "core/io/pt2/pt2_json.h"
#include "core/remote/bench_message.h"

#include <utility>

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
    return fx::textIn(step, "step") == "partition" && fx::textIn(step, "balance") == "time" &&
           !step.find("times").exists();
}

fx::NodeTimes measuredTimes(const Session& session, const RunOptions& run, fx::remote::ModelRef model, double seconds) {
    fx::remote::BenchRequest request;
    request.run = run.request(session, {});
    request.names = {model.snapshot ? model.snapshot->path : model.path};
    request.run.model = std::move(model);
    request.seconds = seconds, request.nodes = true, request.ceiling = false;
    fx::remote::WorkerClient worker(session.workerOptions());
    fx::NodeTimes times;
    const fx::timing::BenchResult measured = fx::remote::bench(worker, request, run.limit(), session.progress());
    for (const auto& node : measured.reports.front().nodes) times[node.name] = node.ms;
    return times;
}

fx::StepList stepsWithTimes(const Session& session, const RunOptions& run, const fx::GraphModule& model,
                            const fx::StepList& steps) {
    auto version = std::make_shared<fx::GraphModule>(model);
    fx::StepList timed, pending; // `pending` leads on from `version`
    for (std::size_t i = 0; i < steps.size(); ++i) {
        if (lacksTimes(steps[i])) {
            version = std::make_shared<fx::GraphModule>(*version);
            fx::applySteps(*version, std::exchange(pending, {}), session.progress(), nullptr, session.readers());
            fx::JsonWriter json;
            writeWithTimes(json, steps[i], version->graph,
                           measuredTimes(session, run, std::shared_ptr<const fx::GraphModule>(version)));
            timed.add(json);
        } else {
            timed.add(steps, i);
        }
        pending.add(timed, i);
    }
    return timed;
}

} // namespace app
