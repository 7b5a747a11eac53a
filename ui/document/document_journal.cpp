// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/document/document_journal.h"

#include "ui/widgets/core_text.h"

#include <QGuiApplication>
#include <QScopeGuard>

#include <utility>

namespace ui {

namespace {
/// Why it could not be written; empty: it was.
QString failureOf(fx::Journal& journal, const std::function<void(fx::Journal&)>& write) {
    try {
        write(journal);
        return {};
    } catch (const fx::Error& error) { return linesFromCore(error.what()); }
}
} // namespace

DocumentJournal::DocumentJournal(Typed typed, QObject* parent) : QObject(parent), m_typed(std::move(typed)) {
    m_draftPause.setSingleShot(true);
    connect(&m_draftPause, &QTimer::timeout, this, &DocumentJournal::recordDraft);
    connect(qGuiApp, &QGuiApplication::focusObjectChanged, this, [this] {
        if (m_draftPause.isActive()) recordDraft();
    });
}

std::shared_ptr<fx::Journal> DocumentJournal::begin(std::shared_ptr<fx::Journal> journal) {
    m_draftPause.stop();
    return std::exchange(m_file, std::move(journal));
}

void DocumentJournal::restart(fx::ModelIdentity base, const fx::History& history) {
    const auto before = begin(std::make_shared<fx::Journal>(fx::Journal::defaultFolder(), std::move(base), 0));
    const auto removed = qScopeGuard([&before] {
        if (before) before->remove();
    });
    if (before) record([&before](fx::Journal& journal) { journal.takeTyped(*before); });
    const auto& entries = history.entries();
    fx::History again(entries.front().model);
    for (std::size_t i = 1; i < entries.size(); ++i) {
        again.push(entries[i].name, entries[i].steps, entries[i].model);
        record([&](fx::Journal& journal) { journal.edited(again); });
    }
    if (history.current() + 1 < entries.size())
        record([&](fx::Journal& journal) { journal.wentTo(history.current()); });
}

void DocumentJournal::leave() {
    if (m_draftPause.isActive()) recordDraft();
    if (m_file) m_file->leave();
    m_file.reset();
}

void DocumentJournal::end() {
    m_draftPause.stop();
    if (m_file) m_file->remove();
    m_file.reset();
    m_draftProblem.clear(); // told with what is open next
}

void DocumentJournal::record(const std::function<void(fx::Journal&)>& write) {
    if (m_file) setProblem(failureOf(*m_file, write));
}

void DocumentJournal::recordDraftSoon(bool isTyped) {
    constexpr int kPause = 1000, kLatest = 5000; // ms
    if (!m_file) return;
    if (!isTyped) return m_draftPause.start(0);
    if (!m_draftPause.isActive()) m_draftChanged.start();
    if (m_draftChanged.elapsed() < kLatest - kPause) m_draftPause.start(kPause);
}

void DocumentJournal::recordDraft() {
    m_draftPause.stop();
    if (!m_file) return;
    const QString problem = failureOf(*m_file, [this](fx::Journal& journal) { journal.typed(m_typed()); });
    if (std::exchange(m_draftProblem, problem) != problem) Q_EMIT problemChanged();
}

void DocumentJournal::setProblem(const QString& problem) {
    if (std::exchange(m_problem, problem) != problem) Q_EMIT problemChanged();
}

} // namespace ui
