// SPDX-License-Identifier: GPL-3.0-or-later
// How the panel shows what the session knows.
#include "ui/changes/diff_view.h"
#include "ui/document/node_facts.h"
#include "ui/passes/pass_step_text.h"
#include "ui/passes/passes_panel.h"
#include "ui/widgets/core_text.h"
#include "ui/widgets/role.h"

#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QToolButton>

namespace ui {

namespace {

constexpr std::size_t kContext = 2; ///< lines of code around a change

const char* roleOf(PillKind kind) {
    switch (kind) {
    case PillKind::Ok: return "ok";
    case PillKind::Warning: return "warning";
    case PillKind::Error: return "error";
    case PillKind::Neutral: break;
    }
    return "neutral";
}

} // namespace

void PassesPanel::showState() {
    const QString why = m_session ? m_session->whyNot() : tr("No model is open");
    const bool busy = m_session && m_session->isBusy();
    m_runButton->setEnabled(why.isEmpty());
    m_runButton->setToolTip(plainToolTip(why));
    const std::size_t ticked = m_session ? m_session->choices().ticked().size() : 0;
    m_runButton->setText(ticked > 1 ? tr("Run %1 Passes").arg(ticked) : tr("Run"));
    for (QToolButton* button : {m_bisect, m_minimise}) button->setEnabled(why.isEmpty());
    m_addButton->setEnabled(m_session != nullptr);
    m_more->setEnabled(m_session != nullptr);
    m_busy->setVisible(busy);
    if (busy) {
        m_doing->setText(m_session->doing());
        m_bar->setRange(0, m_session->done() > 0 ? 1000 : 0);
        m_bar->setValue(static_cast<int>(m_session->done() * 1000));
    }
    const QString told = m_session ? m_session->told() : QString();
    m_told->setVisible(!told.isEmpty());
    if (told != m_told->text()) m_told->setText(told);
    setRole(*m_told, m_session && m_session->toldBad() ? "error" : "info");
    showRows();
    showVerdict();
}

void PassesPanel::showVerdict() {
    const PassStep* step = m_session ? m_session->step() : nullptr;
    if (!step) return;
    const RowStatus verdict = stepVerdict(*m_session, *step);
    m_verdict->setText(verdict.text);
    setRole(*m_verdict, roleOf(verdict.kind));
    m_verdict->setVisible(!verdict.text.isEmpty());
    const PassesSession::Checked* known = m_session->checked(*step);
    m_verdict->setToolTip(known && known->error ? plainToolTip(linesFromCore(known->error->what()))
                          : known               ? plainToolTip(linesFromCore(known->report->reason.text()))
                                                : QString());
    m_facts->setText(stepFacts(*m_session, *step));
    m_timeButton->setEnabled(!m_session->isTiming());
}

void PassesPanel::showStep() {
    const PassStep* step = m_session ? m_session->step() : nullptr;
    m_stepArea->setVisible(step != nullptr);
    if (!step) {
        m_comparing.cancel();
        m_difference.reset();
        return setStepping(false);
    }
    m_title->setText(stepTitle(*m_session));
    m_title->setToolTip(plainToolTip(m_title->text()));
    showVerdict();
    compareStep();
}

/// Off the GUI thread, since it generates the code of both versions.
void PassesPanel::compareStep() {
    const PassStep* step = m_session->step();
    if (m_difference && m_difference->before == step->before && m_difference->after == step->after)
        return setStepping(m_stepping);
    m_comparing.start(
        [before = step->before, after = step->after](const fx::Progress& progress) {
            return std::make_shared<const VersionDifference>(differenceOf(before, after, progress));
        },
        this,
        [this](std::shared_ptr<const VersionDifference> difference) {
            m_difference = std::move(difference);
            m_diff->setDifference(shortened(m_difference->lines, kContext));
            setStepping(m_stepping);
        },
        [this](const fx::Error& error) {
            m_difference.reset();
            m_diff->setDifference({});
            m_facts->setText(elidedLines(error.what(), 200));
        });
}

/// The canvas shows the step, or the model again.
void PassesPanel::setStepping(bool stepping) {
    const bool was = std::exchange(m_stepping, stepping && m_session && m_session->step());
    const QSignalBlocker quiet(m_canvasButton);
    m_canvasButton->setChecked(m_stepping);
    if (!was || !m_stepping) m_steppedFrom = m_stepping ? m_document->module() : nullptr;
    if (m_stepping && m_difference) Q_EMIT stepShown(m_document, m_difference, m_title->text());
    else if (was && !m_stepping) Q_EMIT stepShown(m_document, nullptr, {});
}

} // namespace ui
