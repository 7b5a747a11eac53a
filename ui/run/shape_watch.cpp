// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/run/shape_watch.h"

#include "core/edit/version_marks.h"
#include "core/inputs/fitting_guesses.h"
#include "ui/widgets/core_text.h"

#include <algorithm>
#include <optional>

namespace ui {

namespace {

using Notes = std::shared_ptr<const ShapeNotes>;

/// The inputs that the user has not confirmed, as `RunSession` words them.
struct Assumed {
    QString inputs, batch;
};

/// Shapes, or guesses that fit better.
struct Found {
    Notes notes;
    std::optional<std::vector<fx::InputGuess>> fitting;
    bool fits = false; ///< the version, or the original
};

bool isWrong(const fx::NodeShapes& shapes) {
    return std::any_of(shapes.failures.begin(), shapes.failures.end(),
                       [](const fx::ShapeFailure& failure) { return !failure.needsValues; });
}

/// Assumed sizes that do not fit are replaced by others that do, for the original: an edit that does not fit is no
/// reason to look for inputs that it fits.
Found findShapes(const WorkerCall& call, const std::shared_ptr<const fx::GraphModule>& version,
                 const std::shared_ptr<const fx::GraphModule>& original, const fx::InputDescription& inputs,
                 const Assumed& assumed, const std::vector<fx::InputGuess>& toTry, ShapeRuns runs) {
    fx::NodeShapes shapes = shapesOfVersion(call, version, inputs, runs);
    bool fits = !isWrong(shapes);
    auto takes = OriginalTakes::Unknown;
    if (!fits && version != original) {
        fits = !isWrong(shapesOfVersion(call, original, inputs, runs));
        takes = fits ? OriginalTakes::Yes : OriginalTakes::No;
    }
    if (takes == OriginalTakes::Yes) fx::blameEdits(shapes.failures, *original, *version, call.progress);
    const auto isRight = [&](const std::vector<fx::InputGuess>& guesses) {
        call.progress.check();
        return !isWrong(
            shapesOfVersion(call, original, fx::guessedInputs(guesses), std::min(runs, ShapeRuns::Inferred)));
    };
    auto other = fits ? std::nullopt : fx::otherSizes(toTry, isRight);
    if (other) return {nullptr, std::move(other), false};
    const ShapesFor whom = runs == ShapeRuns::Nothing ? ShapesFor::Opening : ShapesFor::User;
    return {makeShapeNotes(version, std::move(shapes), assumed.inputs, takes, whom, assumed.batch), std::nullopt, fits};
}

std::shared_ptr<ShapeNotes> nothing(const std::shared_ptr<const fx::GraphModule>& version, const QString& why) {
    auto notes = std::make_shared<ShapeNotes>();
    notes->version = version;
    notes->error = why;
    return notes;
}

/// The first sentence of an error, without what LibTorch's allocator writes before it.
QString sentenceOf(const fx::Error& error) {
    constexpr int kLongest = 200;
    const QLatin1String allocator("DefaultCPUAllocator: ");
    QString text = elidedLines(error.what(), 10 * kLongest).section(u'\n', 0, 0);
    if (const auto at = text.indexOf(allocator); at >= 0) text.remove(0, at + allocator.size());
    if (const auto end = text.indexOf(QLatin1String(". ")); end > 0) text.truncate(end);
    if (text.endsWith(u'.')) text.chop(1);
    return text.size() > kLongest ? text.left(kLongest - 1) + QChar(0x2026) : text;
}

/// Why there are no shapes, for the bar above the graph.
QString failureSentence(const fx::Error& error) {
    const QString why = sentenceOf(error);
    if (WorkerService::isRefusal(error))
        return ShapeWatch::tr("Shapes are not computed: this system has no sandbox for models. Click “no sandbox” in "
                              "the status bar to allow running them.");
    if (error.message().is("engine.allocation") || error.message().is("engine.no_memory") ||
        error.message().is("worker.no_memory"))
        return ShapeWatch::tr("The model is too large to run for its shapes: %1.").arg(why);
    if (error.message().is("remote.timeout")) return ShapeWatch::tr("Computing shapes was stopped: %1.").arg(why);
    return error.node.empty()
               ? ShapeWatch::tr("Shapes could not be computed: %1.").arg(why)
               : ShapeWatch::tr("Shapes could not be computed: %1 fails: %2.").arg(elided(error.node, 60), why);
}

constexpr int kSlow = 2000; // ms

} // namespace

ShapeWatch::ShapeWatch(RunSession& session, WorkerService& worker)
    : QObject(&session), m_session(session), m_worker(worker), m_workerLives(&worker) {
    m_slow.setSingleShot(true);
    m_slow.setInterval(kSlow);
    connect(&m_slow, &QTimer::timeout, this, &ShapeWatch::begin);
    connect(&session, &RunSession::inputsChanged, this, [this] {
        m_fitsInputs = false;
        m_asked.reset();
        ask();
    });
    connect(&worker, &WorkerService::settingsChanged, this, [this] { // what ran has ended with the worker
        if (!m_worker.isPending(key())) return;
        m_asked.reset();
        ask();
    });
    connect(&worker, &WorkerService::allowed, this, [this] {
        m_asked.reset();
        ask();
    });
    connect(&session.document(), &Document::versionChanged, this, &ShapeWatch::ask);
    connect(&session.document().shapes(), &DocumentShapes::asked, this, [this] {
        m_runs = ShapeRuns::Model;
        m_isAsked = true;
        m_asked.reset();
        if (!m_worker.isAllowed()) Q_EMIT allowanceNeeded(); // it runs once that is given
        else ask();
    });
    ask();
}

ShapeWatch::~ShapeWatch() {
    if (m_workerLives) m_worker.cancel(key());
}

/// An edit is an act of the user, whose result is run in any case. Assumed sizes are not worth a whole run unless the
/// user asks for one.
void ShapeWatch::noteVersion() {
    const fx::History& history = *m_session.document().versions().history();
    if (const auto& original = history.entries().front().model; original != m_original) {
        m_original = original;
        m_opened = history.model();
        m_runs = ShapeRuns::Nothing;
    }
    if (m_runs == ShapeRuns::Nothing && history.model() != m_opened) m_runs = ShapeRuns::Inferred;
    if (m_runs == ShapeRuns::Inferred && m_session.guessed().isEmpty()) m_runs = ShapeRuns::Model;
}

void ShapeWatch::begin() {
    if (m_operation) return;
    Document& document = m_session.document();
    m_operation =
        document.operations().begin(DocumentOperations::Kind::Shapes,
                                    tr("Computing shapes of %1").arg(document.file().title()), [this] { cancel(); });
}

void ShapeWatch::end() {
    m_slow.stop();
    m_session.document().operations().end(std::exchange(m_operation, 0));
}

/// The model does not run again by itself: what did not end once will not end later.
void ShapeWatch::cancel() {
    m_worker.cancel(key());
    m_isAsked = false;
    end();
    if (m_asked) fail(m_asked, tr("cancelled"), tr("Computing shapes was cancelled."));
    m_runs = ShapeRuns::Nothing;
}

/// Shapes that are known of this version, such as those from opening, stay.
void ShapeWatch::fail(const std::shared_ptr<const fx::GraphModule>& version, const QString& why,
                      const QString& sentence) {
    Document& document = m_session.document();
    const Notes known = document.shapes().notes();
    const bool keeps = m_fitsInputs && known && known->version == version && known->error.isEmpty();
    const auto notes = keeps ? std::make_shared<ShapeNotes>(*known) : nothing(version, why);
    notes->failure = sentence;
    document.shapes().set(notes);
}

void ShapeWatch::ask() {
    Document& document = m_session.document();
    const std::shared_ptr<const fx::GraphModule> version = document.module();
    if (version && document.versions().history()) noteVersion();
    if (!version || version == m_asked || m_session.guesses().empty()) return;
    m_asked = version;
    end();
    if (!m_session.missing().isEmpty()) {
        m_worker.cancel(key());
        m_isAsked = false;
        return document.shapes().set(nothing(version, m_session.missing()));
    }
    if (m_runs == ShapeRuns::Model && m_isAsked) begin();
    else if (m_runs == ShapeRuns::Model) m_slow.start();
    document.operations().setWaiting(m_operation);
    m_worker.request<Found>(
        key(),
        [version, original = document.versions().history()->entries().front().model, inputs = m_session.inputs(),
         guessed = m_session.guessed(), batch = m_session.assumedBatch(), toTry = m_session.unconfirmedGuesses(),
         runs = m_runs](const WorkerCall& call) {
            return findShapes(call, version, original, inputs, {guessed, batch}, toTry, runs);
        },
        this,
        [this](Found found) {
            end();
            if (found.fitting) return m_session.refineGuess(std::move(*found.fitting)); // which asks again
            m_isAsked = false;
            m_fitsInputs = true;
            m_session.document().shapes().set(std::move(found.notes));
            if (found.fits) m_session.confirmGuess();
        },
        [this, version](const fx::Error& error) {
            end();
            m_isAsked = false;
            const bool isTold = m_runs == ShapeRuns::Model || WorkerService::isRefusal(error);
            fail(version, linesFromCore(error.what()), isTold ? failureSentence(error) : QString());
        },
        [this](const QString& what, double done) {
            m_session.document().operations().report(m_operation, what, done);
        });
}

} // namespace ui
