// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/passes/pass_engine.h"

#include "core/inputs/input_guess.h"
#include "core/remote/layer_times_message.h"
#include "core/remote/shapes_message.h"
#include "core/remote/verify_message.h"
#include "core/remote/worker_client.h"
#include "ui/run/run_request.h"
#include "ui/run/verify_verdict.h"
#include "ui/run/verify_version.h"
#include "ui/run/version_shapes.h"
#include "ui/tasks/thread_calls.h"

#include <algorithm>
#include <chrono>
#include <future>

namespace ui {

namespace {

std::shared_ptr<const fx::GraphModule> shared(const fx::GraphModule& model) {
    return std::make_shared<const fx::GraphModule>(model);
}

/// True if the shape of an input is what the layers suggest, though the file does not tell it.
bool hasGuessedShape(const fx::InputDescription& inputs, const std::vector<fx::InputGuess>& guesses) {
    return std::any_of(inputs.inputs.begin(), inputs.inputs.end(), [&](const fx::InputSpec& input) {
        const fx::InputGuess* guess = fx::guessFor(guesses, input.name);
        return guess && guess->sureness != fx::InputGuess::Sureness::Unused && !guess->reasons.empty() &&
               !guess->reasons.front().is("inputs.of_file") && guess->input.sizes == input.sizes;
    });
}

template<class Result> void refuse(const std::shared_ptr<std::promise<Result>>& answer, const fx::Error& error) {
    answer->set_exception(std::make_exception_ptr(error));
}

} // namespace

PassEngine::PassEngine(QPointer<WorkerService> worker, fx::InputDescription inputs, fx::Tolerances tolerances,
                       const fx::Progress& progress)
    : m_worker(std::move(worker)), m_key(new QObject), m_inputs(std::move(inputs)), m_tolerances(std::move(tolerances)),
      m_progress(progress) {
    m_key->moveToThread(qApp->thread());
}

PassEngine::~PassEngine() { m_key->deleteLater(); }

template<class Result> Result PassEngine::ask(WorkerService::Kind kind, std::function<Result(const WorkerCall&)> work) {
    auto answer = std::make_shared<std::promise<Result>>();
    std::future<Result> result = answer->get_future();
    const WorkerService::Key key{kind, m_key};
    m_progress.report(QCoreApplication::translate("ui::PassEngine", "waiting for the worker").toStdString(), 0);
    callLater(qApp, [worker = m_worker, key, answer, work = std::move(work), progress = m_progress] {
        if (!worker) return refuse(answer, fx::Error(fx::ErrorKind::Cancelled, fx::Message("app.cancelled")));
        worker->request<Result>(
            key, work, worker, [answer](Result value) { answer->set_value(std::move(value)); },
            [answer](const fx::Error& error) { refuse(answer, error); },
            [progress](const QString& what, double done) { progress.report(what.toStdString(), done); });
    });
    while (result.wait_for(std::chrono::milliseconds(20)) != std::future_status::ready) {
        if (!m_progress.stopRequested()) continue;
        callLater(qApp, [worker = m_worker, key] {
            if (worker) worker->cancel(key);
        });
        m_progress.check();
    }
    return result.get();
}

/// The document's inputs where they fit; a part of the model has inputs of its own, of which the metadata tells.
fx::InputDescription PassEngine::inputsOf(const fx::GraphModule& model) const {
    const std::vector<fx::InputGuess> guesses = fx::guessInputs(model);
    if (fx::isForGuesses(m_inputs, guesses)) return m_inputs;
    fx::InputDescription guessed = fx::guessedInputs(guesses);
    guessed.seed = m_inputs.seed;
    return guessed;
}

fx::NodeShapes PassEngine::shapes(const fx::GraphModule& model) {
    m_hasComputed = true;
    const fx::InputDescription inputs = inputsOf(model);
    auto shapes =
        ask<fx::NodeShapes>(WorkerService::Kind::Shapes, [model = shared(model), inputs](const WorkerCall& call) {
            return shapesOfVersion(call, model, inputs, ShapeRuns::Model);
        });
    shapes.guessed = hasGuessedShape(inputs, fx::guessInputs(model));
    return shapes;
}

fx::NodeShapes PassEngine::partShapes(const fx::GraphModule& part, bool gradients) {
    return ask<fx::NodeShapes>(WorkerService::Kind::Shapes, [part, gradients](const WorkerCall& call) {
        return fx::remote::partShapes(call.client, part, gradients, call.timeout, call.progress);
    });
}

std::vector<fx::ValueTree> PassEngine::values(const fx::GraphModule& model) {
    m_hasComputed = true;
    return ask<std::vector<fx::ValueTree>>(
        WorkerService::Kind::Values, [model = shared(model)](const WorkerCall& call) {
            fx::remote::RunRequest request;
            request.model = model;
            return fx::remote::runResult(
                       call.client.call(fx::remote::toFrame(request, call.client.nextNumber(), call.client.local()),
                                        call.timeout, call.progress))
                .output.items;
        });
}

std::vector<fx::onednn::LayerTimes> PassEngine::layerTimes(const fx::GraphModule& model) {
    m_hasComputed = true;
    return ask<std::vector<fx::onednn::LayerTimes>>(
        WorkerService::Kind::Timing, [model = shared(model), inputs = inputsOf(model)](const WorkerCall& call) {
            return fx::remote::layerTimes(call.client, requestToRun(model, inputs, call.progress), {}, call.progress);
        });
}

fx::onednn::WholeTimes PassEngine::wholeTimes(const fx::GraphModule& before, const fx::GraphModule& after) {
    m_hasComputed = true;
    return ask<fx::onednn::WholeTimes>(
        WorkerService::Kind::Timing,
        [before = shared(before), after = shared(after), inputs = inputsOf(before)](const WorkerCall& call) {
            return fx::remote::wholeTimes(call.client, requestToRun(before, inputs, call.progress), after, 1, {},
                                          call.progress);
        });
}

void PassEngine::compare(const fx::GraphModule& before, const fx::GraphModule& after) {
    const auto report = ask<fx::VerifyReport>(
        WorkerService::Kind::Verify,
        [before = shared(before), after = shared(after), inputs = inputsOf(before), tolerances = m_tolerances](
            const WorkerCall& call) { return verifyVersion(call, before, after, inputs, tolerances); });
    if (report.verdict != fx::Verdict::Different) return;
    std::string reason = textOfSides(report.reason);
    if (reason.empty() && report.first) reason = "the first difference is at " + report.first->node;
    throw fx::Error(fx::ErrorKind::Refused, fx::Message("passes.differs", {{"reason", reason}}))
        .onNode(report.first ? report.first->node : std::string());
}

} // namespace ui
