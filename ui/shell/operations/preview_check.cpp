// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/operations/preview_check.h"

#include "ui/run/verify_verdict.h"
#include "ui/run/verify_version.h"
#include "ui/run/version_shapes.h"

namespace ui {

PreviewCheck::PreviewCheck(CompareWindow& window, RunSession& session, WorkerService& worker)
    : QObject(&window), m_window(window), m_session(&session), m_worker(&worker) {
    if (!session.missing().isEmpty() || session.guesses().empty()) {
        const QString why = session.guesses().empty() ? tr("the inputs are not known yet") : session.missing();
        window.showVerdict(tr("not verified"), "neutral", why);
        return;
    }
    findShapes();
    verify();
}

PreviewCheck::~PreviewCheck() {
    if (!m_worker) return;
    m_worker->cancel(key(WorkerService::Kind::Shapes));
    m_worker->cancel(key(WorkerService::Kind::Verify));
}

void PreviewCheck::findShapes() {
    using Notes = std::shared_ptr<const ShapeNotes>;
    const auto version = m_window.difference().after;
    m_worker->request<Notes>(
        key(WorkerService::Kind::Shapes),
        [version, inputs = m_session->inputs(), guessed = m_session->guessed()](const WorkerCall& call) {
            const ShapeRuns runs = guessed.isEmpty() ? ShapeRuns::Model : ShapeRuns::Inferred;
            return makeShapeNotes(version, shapesOfVersion(call, version, inputs, runs), guessed);
        },
        this,
        [this](const Notes& notes) {
            if (notes->shown) m_window.setShown(1, notes->shown);
            QStringList wrong;
            for (const fx::ShapeFailure& failure : notes->failures)
                if (!failure.needsValues) wrong << problemOf(failure, fx::kNoNode, {}).what;
            if (!wrong.isEmpty()) m_window.showProblem(wrong.front());
        },
        [](const fx::Error&) {}); // why it cannot run, the verdict says
}

void PreviewCheck::verify() {
    m_window.showVerdict(tr("verifying…"), "neutral", tr("Running both versions on the same inputs"));
    const VersionDifference& difference = m_window.difference();
    m_worker->request<fx::VerifyReport>(
        key(WorkerService::Kind::Verify),
        [before = difference.before, after = difference.after, inputs = m_session->inputsToVerify(),
         tolerances = m_session->tolerances()](const WorkerCall& call) {
            return verifyVersion(call, before, after, inputs, tolerances);
        },
        this,
        [this, version = difference.after](fx::VerifyReport report) {
            show({version, std::move(report), std::nullopt, std::nullopt});
        },
        [this, version = difference.after](const fx::Error& error) {
            show({version, std::nullopt, error, std::nullopt});
        });
}

void PreviewCheck::show(const Verification& verification) {
    if (!m_session) return;
    const VerifyVerdict verdict = verdictOf(*m_session, &verification);
    m_window.showVerdict(verdict.word, verdict.role ? htmlClass(verdict) : "neutral",
                         tr("Compared with the current version: %1").arg(verdict.detail));
}

} // namespace ui
