// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/document/document_journal.h"

#include "ui/widgets/core_text.h"

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

std::shared_ptr<fx::Journal> DocumentJournal::begin(std::shared_ptr<fx::Journal> journal) {
    return std::exchange(m_file, std::move(journal));
}

void DocumentJournal::leave() {
    if (m_file) m_file->leave();
    m_file.reset();
}

void DocumentJournal::end() {
    if (m_file) m_file->remove();
    m_file.reset();
    m_draftProblem.clear(); // told with what is open next
}

void DocumentJournal::record(const std::function<void(fx::Journal&)>& write) {
    if (m_file) setProblem(failureOf(*m_file, write));
}

void DocumentJournal::recordDraft(const std::optional<fx::JournalDraft>& draft) {
    if (!m_file) return;
    const QString problem = failureOf(*m_file, [&](fx::Journal& journal) { journal.typed(draft); });
    if (std::exchange(m_draftProblem, problem) != problem) Q_EMIT problemChanged();
}

void DocumentJournal::setProblem(const QString& problem) {
    if (std::exchange(m_problem, problem) != problem) Q_EMIT problemChanged();
}

} // namespace ui
