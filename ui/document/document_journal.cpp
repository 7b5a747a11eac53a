// SPDX-License-Identifier: GPL-3.0-or-later
// What a document does so that the end of the process loses no edit.
#include "ui/document/document.h"

#include <QFileInfo>

#include <algorithm>

namespace ui {

namespace {

/// What is at a path now, if anything. A few milliseconds.
std::optional<fx::ModelIdentity> identityAt(const QString& path) {
    try {
        if (!path.isEmpty()) return fx::ModelIdentity::of(path.toStdString());
    } catch (const fx::Error&) {
        // Nothing that can be read.
    }
    return std::nullopt;
}

} // namespace

Document::Opened Document::open(const std::string& path, const fx::OpenOptions& options, const fx::Progress& progress) {
    std::optional<fx::ModelIdentity> identity;
    // Before the model is read, so that a change in between is one for the journal.
    try {
        identity = fx::ModelIdentity::of(path, options.modelName);
    } catch (const fx::Error&) {
        // Opening it says what is wrong.
    }
    return {fx::projectHistoryOf(fx::openModel(path, options, progress), progress), std::move(identity)};
}

void Document::restore(const fx::OrphanedJournal& journal, fx::RecoveredModel model) {
    m_loading.cancel();
    endJournal();
    m_journal = std::make_shared<fx::Journal>(journal);
    const auto draftBase = model.draftBase;
    take(std::move(model));
    const fx::OrphanedJournal::Change* save = journal.lastSave();
    const auto written = save ? save->file : std::nullopt;
    m_target = written                                     ? QString::fromStdString(written->path)
               : m_path.endsWith(QLatin1String(".lancet")) ? m_path
                                                           : QString();
    if (written && QFileInfo(m_target).isDir()) m_target += u'/'; // as it was saved
    const auto now = written ? identityAt(m_target) : std::nullopt;
    m_targetChanged = written && (!now || !written->difference(*now).empty());
    if (!m_target.isEmpty()) m_title = m_target.section(u'/', -1, -1, QString::SectionSkipEmpty);
    if (!draftBase || journal.draft()->text == draftBase->text) return;
    const auto& entries = m_history->entries();
    const std::size_t version = journal.draft()->version < entries.size() ? journal.draft()->version : 0;
    setDraft(CodeDraft{QByteArray::fromStdString(journal.draft()->text), draftBase, entries[version].model});
}

void Document::record(const std::function<void(fx::Journal&)>& write) {
    if (!m_journal) return;
    m_journalProblem.clear();
    try {
        write(*m_journal);
    } catch (const fx::Error& error) { m_journalProblem = QString::fromUtf8(error.what()); }
}

/// A second after typing stops, at the latest 5 s after it began. A draft that ends goes from the journal after the
/// edit that applies it has come into it.
void Document::recordDraftSoon() {
    constexpr int kPause = 1000, kLatest = 5000; // ms
    if (!m_journal) return;
    if (!m_draft) return m_draftPause.start(0);
    if (!m_draftPause.isActive()) m_draftChanged.start();
    if (m_draftChanged.elapsed() < kLatest - kPause) m_draftPause.start(kPause);
}

void Document::recordDraft() {
    m_draftPause.stop();
    std::optional<fx::JournalDraft> draft;
    if (m_draft) draft = fx::JournalDraft{entryOf(m_draft->version), m_draft->text.toStdString()};
    record([&](fx::Journal& journal) { journal.typed(draft); });
}

/// The place of a version in the history; 0 for one that has gone.
std::size_t Document::entryOf(const std::shared_ptr<const fx::GraphModule>& version) const {
    const auto& entries = m_history->entries();
    const auto entry = std::find_if(entries.begin(), entries.end(),
                                    [&](const fx::History::Entry& each) { return each.model == version; });
    return entry == entries.end() ? 0 : static_cast<std::size_t>(entry - entries.begin());
}

void Document::endJournal() {
    m_draftPause.stop();
    if (m_journal) m_journal->remove();
    m_journal.reset();
}

void Document::setSaved(const std::shared_ptr<const fx::GraphModule>& version, const QString& path) {
    m_saved = version;
    if (!path.isEmpty()) {
        m_target = path;
        m_targetChanged = false;
        m_title = path.section(u'/', -1, -1, QString::SectionSkipEmpty); // of a folder too
    }
    const auto& entries = m_history->entries();
    const auto entry = std::find_if(entries.begin(), entries.end(),
                                    [&](const fx::History::Entry& each) { return each.model == version; });
    if (entry != entries.end())
        record([&](fx::Journal& journal) {
            journal.saved(static_cast<std::size_t>(entry - entries.begin()), identityAt(path));
        });
    Q_EMIT versionChanged();
}

} // namespace ui
