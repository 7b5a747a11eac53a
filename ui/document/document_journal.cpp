// SPDX-License-Identifier: GPL-3.0-or-later
// What a document does so that the end of the process loses no edit.
#include "ui/document/document.h"

#include <algorithm>

namespace ui {

void Document::restore(const fx::OrphanedJournal& journal, fx::RecoveredModel model) {
    m_operations->cancel(DocumentOperations::Kind::Open);
    endJournal();
    if (!m_onDisk && !journal.baseIsKept()) m_onDisk = journal.base();
    m_journal = std::make_shared<fx::Journal>(journal);
    take(std::move(model));
}

void Document::record(const std::function<void(fx::Journal&)>& write) {
    if (!m_journal) return;
    m_journalProblem.clear();
    try {
        write(*m_journal);
    } catch (const fx::Error& error) { m_journalProblem = QString::fromUtf8(error.what()); }
}

void Document::endJournal() {
    if (m_journal) m_journal->remove();
    m_journal.reset();
}

void Document::setSaved(const std::shared_ptr<const fx::GraphModule>& version, const QString& path) {
    m_saved = version;
    if (!path.isEmpty()) {
        m_target = path;
        m_title = path.section(u'/', -1, -1, QString::SectionSkipEmpty); // of a folder too
    }
    const auto& entries = m_history->entries();
    const auto entry = std::find_if(entries.begin(), entries.end(),
                                    [&](const fx::History::Entry& each) { return each.model == version; });
    if (entry != entries.end())
        record([&](fx::Journal& journal) { journal.saved(static_cast<std::size_t>(entry - entries.begin())); });
    Q_EMIT versionChanged();
}

} // namespace ui
