// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/passes/manager/pass_manager.h"

#include "core/module/change_lint.h"
#include "core/module/read_only.h"
#include "core/passes/fresh_values.h"

#include <algorithm>
#include <chrono>

namespace fx {
namespace {

Error refused(const Message& what) { return Error(ErrorKind::Refused, what); }

/// The error that says which pass failed, and after which others.
Error failed(const PassRequest& request, const Error& error) {
    const bool fromRun =
        error.kind() == ErrorKind::Cancelled || error.kind() == ErrorKind::Run || error.kind() == ErrorKind::Usage;
    Error refusal(fromRun ? error.kind() : ErrorKind::Refused,
                  Message("passes.failed",
                          {{"pass", request.name}, {"reason", error.what()}, {"cause", error.message().code()}}));
    refusal.file = error.file, refusal.where = error.where, refusal.source = error.source;
    refusal.textPlace = error.textPlace, refusal.node = error.node, refusal.modulePath = error.modulePath;
    refusal.hint = error.hint, refusal.commandLineHint = error.commandLineHint;
    return refusal;
}

} // namespace

/// One run of all steps.
struct PassManager::Run {
    const PassManager& manager;
    GraphModule& model;
    Warnings& warnings;
    const Progress& progress;
    FrozenNodes frozen{};
    std::vector<PassReport> reports{};
    std::vector<ShapeFailure> unknown{}; ///< nodes whose values could not be computed

    bool runOnce(std::size_t number) {
        const PassRequest& request = manager.m_schedule.passes[number];
        static const std::vector<PassSetting> kNone;
        const Pass* pass = request.own ? nullptr : &passFor(request.name, request.settings);
        if (pass && !pass->run) throw refused(Message("passes.unavailable", {{"reason", pass->reason}}));
        if (pass && pass->needsEngine && !manager.engine) throw refused(Message("passes.needs_worker"));
        const GraphModule before = model;
        const PassPlace place{request.name, reports.size(), number};
        for (PassInstrument* each : manager.instruments) each->beforePass(place, model);
        RewriteWatch watch(place, manager.instruments, frozen);
        Warnings notes;
        const auto start = std::chrono::steady_clock::now();
        const PassRun run{model,          PassSettings(pass ? pass->settings : kNone, request.settings),
                          warnings,       progress,
                          manager.engine, &watch,
                          &notes};
        const bool changed = pass ? pass->run(run) : request.own(run);
        const std::chrono::duration<double, std::milli> millis = std::chrono::steady_clock::now() - start;
        lintChange(before, model);
        if (changed)
            for (ShapeFailure& failure : refreshValues(before, model, manager.engine))
                unknown.push_back(std::move(failure));
        reports.push_back({request.name, changed, millis.count(), changed ? watch.made() : 0, std::move(notes)});
        for (PassInstrument* each : manager.instruments) each->afterPass(place, model, reports.back());
        if (manager.runChecksAfterEachPass) manager.check(model, warnings);
        return changed;
    }

    bool runPass(std::size_t number) {
        const PassRequest& request = manager.m_schedule.passes[number];
        const std::size_t most = request.times == 0 ? kMaxLoops : request.times;
        bool changed = false;
        for (std::size_t i = 0; i < most; ++i) {
            progress.check();
            const bool again = runOnce(number);
            changed = changed || again;
            if (request.times == 0 && !again) return changed;
        }
        if (request.times == 0) throw refused(Message("passes.endless", {{"times", kMaxLoops}}));
        return changed;
    }

    /// All passes once; whether anything changed.
    bool step(std::size_t number) {
        const auto& passes = manager.m_schedule.passes;
        bool changed = false;
        for (std::size_t i = 0; i < passes.size(); ++i) {
            progress.report(passes[i].name, static_cast<double>(number * passes.size() + i) /
                                                static_cast<double>(manager.steps * passes.size()));
            try {
                const bool modified = runPass(i);
                changed = changed || modified;
            } catch (const Error& error) { throw failed(passes[i], error); }
        }
        return changed;
    }
};

void PassManager::solveConstraints() {
    m_schedule.solve();
    m_isValid = true;
}

void PassManager::check(const GraphModule& model, Warnings& warnings) const {
    for (const ModelCheck& each : m_checks) {
        try {
            each(model);
        } catch (const Error& error) {
            if (!suppressCheckFailures || error.kind() == ErrorKind::Cancelled) throw;
            warnings.push_back({error.message(), error.node, error.modulePath, {}});
        }
    }
}

std::vector<PassReport> PassManager::run(GraphModule& model, Warnings& warnings, const Progress& progress) {
    requireChangeable(model);
    if (!m_isValid) solveConstraints();
    GraphModule changed = model;
    check(changed, warnings);
    Run run{*this, changed, warnings, progress};
    if (selection) run.frozen = FrozenNodes(model.graph, *selection);
    for (std::size_t i = 0; i < std::max<std::size_t>(steps, 1); ++i)
        if (!run.step(i)) break;
    for (Warning& warning : unknownValueWarnings(run.unknown, changed.graph)) warnings.push_back(std::move(warning));
    model = std::move(changed);
    return std::move(run.reports);
}

bool anyChanged(const std::vector<PassReport>& reports) {
    return std::any_of(reports.begin(), reports.end(), [](const PassReport& report) { return report.changed; });
}

std::vector<PassReport> runPasses(GraphModule& model, const std::vector<PassRequest>& requests, Warnings& warnings,
                                  const Progress& progress, TensorEngine* engine) {
    PassManager manager(PassSchedule{requests, {}});
    manager.engine = engine;
    return manager.run(model, warnings, progress);
}

} // namespace fx
