// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/worker/bench_models.h"

#include "app/worker/graph_for_inputs.h"
#include "app/worker/model_inputs.h"
#include "core/engine/machine.h"
#include "core/engine/own/own_call.h"
#include "core/engine/timing/ceiling.h"
#include "core/engine/timing/node_times.h"
#include "core/io/compile_text/missing_values.h"
#include "core/timing/machine_load.h"
#include "core/timing/operator_profile.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace app {
namespace {

using fx::engine::Interpreter;
using fx::engine::RunInputs;

/// A model that is timed, with its inputs.
struct Variant {
    std::string name;
    std::shared_ptr<const fx::GraphModule> model;
    fx::RunMode mode = fx::RunMode::AsSaved; ///< that the request asks for
    std::unique_ptr<Interpreter> interpreter;
    RunInputs inputs;
    std::vector<fx::InputSpec> drawn;
    bool isWarm = false;
    std::size_t runs = 0;
    fx::engine::OwnTime own; ///< of these runs
};

/// Runs a model, and notes how long its calls in Python take, except for the first time, which imports the source.
template<class Run> auto noting(Variant& variant, std::size_t runs, const Run& run) {
    if (!std::exchange(variant.isWarm, true)) return run(runs);
    const fx::engine::OwnTime before = fx::engine::ownTime();
    auto result = run(runs);
    variant.runs += runs;
    variant.own.calls += fx::engine::ownTime().calls - before.calls;
    variant.own.seconds += fx::engine::ownTime().seconds - before.seconds;
    return result;
}

/// Whatever goes wrong with a model is said of this model.
template<class Action> auto about(const Variant& variant, const Action& action) {
    try {
        return action();
    } catch (fx::Error& error) {
        if (error.file.empty()) error.in(variant.name);
        throw;
    }
}

/// The request with what the first model was given for the inputs of the same names: times with other sizes say
/// nothing. Only where the other model may be guessed for at all.
fx::remote::RunRequest asFirst(fx::remote::RunRequest request, const Variant& first, const Interpreter& other) {
    const std::vector<fx::InputGuess> guesses = fx::guessInputs(other.model());
    for (const fx::NodeId id : other.inputs()) {
        const fx::Node& node = other.model().graph.node(id);
        const auto isOf = [&](const fx::InputSpec& input) { return isFor(input, node); };
        if (std::any_of(request.random.begin(), request.random.end(), isOf)) continue;
        const fx::InputGuess* guess = fx::guessFor(guesses, node.target());
        if (!guess || (!guess->isSafe() && !request.anyGuess)) continue;
        const auto drawn = std::find_if(first.drawn.begin(), first.drawn.end(), isOf);
        if (drawn != first.drawn.end()) request.random.push_back(*drawn);
    }
    return request;
}

Variant open(const fx::remote::BenchRequest& request, const std::vector<Variant>& before, const Context& context) {
    const std::size_t place = before.size();
    const fx::remote::ModelRef& ref = place == 0 ? request.run.model : request.others[place - 1];
    Variant out;
    out.name = place < request.names.size() ? request.names[place]
               : ref.path.empty()           ? "model " + std::to_string(place + 1)
                                            : ref.path;
    out.mode = ref.mode;
    about(out, [&] {
        out.model = context.models.get(graphForInputs(ref, request.run, context));
        fx::requireValues(*out.model);
        const auto tensors = std::make_shared<fx::engine::TensorStore>();
        out.interpreter = std::make_unique<Interpreter>(out.model, tensors);
        const auto run = before.empty() ? request.run : asFirst(request.run, before.front(), *out.interpreter);
        ModelInputs inputs = makeInputs(*out.model, out.interpreter->inputs(), run, *tensors);
        out.inputs = std::move(inputs.values);
        out.drawn = std::move(inputs.drawn);
    });
    return out;
}

void addWarnings(fx::timing::BenchResult& result, const std::vector<Variant>& variants) {
    result.warnings = doubts(result.environment);
    for (const Variant& variant : variants) {
        fx::Warnings all = variant.model->warnings;
        for (fx::Warning& warning : fx::modeWarnings(*variant.model, variant.mode)) all.push_back(std::move(warning));
        for (const fx::Warning& warning : all)
            result.warnings.push_back(variants.size() > 1
                                          ? fx::Message("timing.model_warning", {{"model", variant.name},
                                                                                 {"warning", warning.what.text()},
                                                                                 {"cause", warning.what.code()}})
                                          : warning.what);
    }
    for (const Variant& variant : variants)
        if (variant.own.calls > 0 && variant.runs > 0)
            result.warnings.push_back(fx::Message(
                "timing.own_calls", {{"model", variant.name},
                                     {"us", std::lround(variant.own.seconds * 1e6 / static_cast<double>(variant.runs))},
                                     {"calls", std::max<std::size_t>(1, variant.own.calls / variant.runs)}}));
    for (const auto& variant : result.variants)
        if (!variant.settled) result.warnings.push_back(fx::Message("timing.not_settled", {{"model", variant.model}}));
    for (const auto& report : result.reports)
        if (std::abs(report.sumMs / report.wholeMs - 1) > 0.05)
            result.warnings.push_back(
                fx::Message("timing.sum_of_nodes", {{"model", result.variants[report.variant].model},
                                                    {"percent", std::lround(report.sumMs / report.wholeMs * 100)}}));
}

} // namespace

fx::timing::BenchResult benchModels(const fx::remote::BenchRequest& request, const Context& context) {
    const auto start = std::chrono::steady_clock::now();
    fx::engine::setThreads(request.run.threads);
    fx::timing::BenchResult result;
    result.environment = fx::engine::environment(); // also wakes the threads and oneDNN, which is no model's first run
    std::vector<Variant> variants;
    for (std::size_t i = 0; i <= request.others.size(); ++i) variants.push_back(open(request, variants, context));
    std::vector<fx::timing::Subject> subjects;
    for (Variant& variant : variants)
        subjects.push_back([&variant, run = subjectOf(*variant.interpreter, variant.inputs)](std::size_t runs) {
            return about(variant, [&] { return noting(variant, runs, run); });
        });

    const fx::timing::ProcessorTime before = fx::timing::processorTime();
    fx::timing::SessionOptions options;
    options.seconds = request.seconds, options.seed = request.run.seed;
    options.fewestRounds = request.fewestRounds, options.mostSeconds = request.mostSeconds;
    constexpr double kModels = 2.0 / 3; // the nodes take half as long
    if (request.nodes) options.workShare = kModels;
    fx::timing::SessionResult session = measure(subjects, options, context.progress);
    noteLoad(result.environment, before, fx::timing::processorTime());
    result.environment.frequencyMhz = fx::timing::frequencyMhz();
    result.environment.noiseFloor = session.noiseFloor;
    result.variants = std::move(session.variants), result.ratios = std::move(session.ratios),
    result.rounds = session.rounds;
    for (std::size_t i = 0; i < variants.size(); ++i) {
        result.variants[i].model = variants[i].name;
        result.variants[i].mode = fx::modeName(*variants[i].model);
    }
    if (request.nodes) {
        if (request.ceiling) result.environment.ceiling = fx::engine::measureCeiling();
        const auto count = static_cast<double>(variants.size()), part = (1 - kModels) / count;
        for (std::size_t i = 0; i < variants.size(); ++i) {
            const double begin = kModels + part * static_cast<double>(i);
            result.reports.push_back(fx::engine::timeNodes(*variants[i].interpreter, variants[i].inputs,
                                                           request.seconds / 2 / count, context.progress, begin,
                                                           begin + part));
            result.reports.back().variant = i;
        }
    }
    addWarnings(result, variants);
    result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return result;
}

} // namespace app
