// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/run/shape_watch.h"

#include "core/edit/version_marks.h"
#include "core/inputs/fitting_guesses.h"
#include "ui/run/version_shapes.h"

#include <algorithm>
#include <optional>

namespace ui {

namespace {

using Notes = std::shared_ptr<const ShapeNotes>;

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
                 const QString& guessed, const std::vector<fx::InputGuess>& toTry) {
    fx::NodeShapes shapes = shapesOfVersion(
        call, version, inputs, guessed.isEmpty()); // a whole run is not worth it for sizes that were made up
    bool fits = !isWrong(shapes);
    auto takes = OriginalTakes::Unknown;
    if (!fits && version != original) {
        fits = !isWrong(shapesOfVersion(call, original, inputs, guessed.isEmpty()));
        takes = fits ? OriginalTakes::Yes : OriginalTakes::No;
    }
    if (takes == OriginalTakes::Yes) fx::blameEdits(shapes.failures, *original, *version);
    auto other = fits ? std::nullopt : fx::withOtherSquares(toTry, [&](const std::vector<fx::InputGuess>& guesses) {
        call.progress.check();
        return !isWrong(shapesOfVersion(call, original, fx::guessedInputs(guesses), false));
    });
    if (other) return {nullptr, std::move(other), false};
    return {makeShapeNotes(version, std::move(shapes), guessed, takes), std::nullopt, fits};
}

Notes nothing(const std::shared_ptr<const fx::GraphModule>& version, const QString& why) {
    auto notes = std::make_shared<ShapeNotes>();
    notes->version = version;
    notes->error = why;
    return notes;
}

} // namespace

ShapeWatch::ShapeWatch(RunSession& session, WorkerService& worker)
    : QObject(&session), m_session(session), m_worker(worker) {
    connect(&session, &RunSession::inputsChanged, this, [this] {
        m_asked.reset();
        ask();
    });
    connect(&worker, &WorkerService::settingsChanged, this, [this] { // what ran has ended with the worker
        if (!m_worker.isPending({WorkerService::Kind::Shapes, this})) return;
        m_asked.reset();
        ask();
    });
    connect(&session.document(), &Document::versionChanged, this, &ShapeWatch::ask);
    ask();
}

void ShapeWatch::ask() {
    Document& document = m_session.document();
    const std::shared_ptr<const fx::GraphModule> version = document.module();
    if (!version || version == m_asked || m_session.guesses().empty()) return;
    m_asked = version;
    const WorkerService::Key key{WorkerService::Kind::Shapes, this};
    if (!m_session.missing().isEmpty()) {
        m_worker.cancel(key);
        return document.setShapes(nothing(version, m_session.missing()));
    }
    m_worker.request<Found>(
        key,
        [version, original = document.history()->entries().front().model, inputs = m_session.inputs(),
         guessed = m_session.guessed(),
         toTry = m_session.guessDoesNotFit() ? m_session.guesses() : std::vector<fx::InputGuess>()](
            const WorkerCall& call) { return findShapes(call, version, original, inputs, guessed, toTry); },
        this,
        [this](Found found) {
            if (found.fitting) return m_session.refineGuess(std::move(*found.fitting)); // which asks again
            m_session.document().setShapes(std::move(found.notes));
            if (found.fits) m_session.confirmGuess();
        },
        [this, version](const fx::Error& error) {
            m_session.document().setShapes(nothing(version, QString::fromUtf8(error.what())));
        });
}

} // namespace ui
