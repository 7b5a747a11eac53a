// SPDX-License-Identifier: GPL-3.0-or-later
// Crash journal, drafts and recovery of a document.
#include "ui/document/document.h"

#include "ui/document/document_source.h"

#include <QDir>
#include <QFileInfo>

#include <algorithm>
#include <optional>

namespace ui {

namespace {
/// Text that is in the file, or was, and that another program's writing would take away.
bool isOwnWork(const DocumentSource& source, bool isLost) {
    return (source.wasSaved() || isLost) && static_cast<std::size_t>(source.text().size()) < fx::Journal::kMaxDraft;
}

/// The place of a version in the history; nullopt for one that has gone.
std::optional<std::size_t> entryOf(const fx::History& history, const std::shared_ptr<const fx::GraphModule>& version) {
    const auto& entries = history.entries();
    const auto entry = std::find_if(entries.begin(), entries.end(),
                                    [&](const fx::History::Entry& each) { return each.model == version; });
    return entry == entries.end() ? std::nullopt : std::optional(static_cast<std::size_t>(entry - entries.begin()));
}
} // namespace

void Document::restore(const fx::OrphanedJournal& journal, fx::RecoveredModel model, const QString& untitled) {
    m_operations->cancel(DocumentOperations::Kind::Open);
    m_journal->end();
    const bool isSource = model.traced.has_value();
    m_journal->begin(std::make_shared<fx::Journal>(journal));
    const fx::OrphanedJournal::Change* save = journal.lastSave();
    auto written = save ? save->file : std::nullopt;
    if (model.rebased && written && model.rebased->path != written->path) written.reset(); // of another file now
    // The bytes may come from a copy because another program has replaced the file: then the window says so, and
    // saving asks.
    m_file->restore(model.rebased ? *model.rebased : journal.base(), written);
    // Edits that are lost are void: those that follow are edits of what came back.
    const auto rebased = model.lost ? std::optional(journal.base()) : model.rebased;
    const std::size_t opened = model.savedVersion;
    if (isSource) {
        restoreSource(journal, std::move(model), untitled);
    } else {
        const auto draftBase = model.draftBase;
        const bool fits = model.draftFits;
        take(std::move(model)); // announces the title too
        restoreDraft(journal, draftBase, fits);
    }
    if (rebased) m_journal->record([&](fx::Journal& own) { own.rebased(*rebased, *m_versions->history(), opened); });
    m_isRestored = true;
}

/// Code that was typed; when it does not fit, it is of a version that has gone, as after edits while one types.
void Document::restoreDraft(const fx::OrphanedJournal& journal, const std::shared_ptr<const fx::PythonCode>& base,
                            bool fits) {
    if (!base || *journal.draft()->code == base->text) return;
    const auto& entries = m_versions->history()->entries();
    const std::size_t version = journal.draft()->version < entries.size() ? journal.draft()->version : 0;
    setDraft(CodeDraft{QByteArray::fromStdString(*journal.draft()->code), base,
                       fits ? entries[version].model : std::make_shared<const fx::GraphModule>()});
}

void Document::recordDraftSoon() { m_journal->recordDraftSoon(m_draft || (m_source && m_source->isModified())); }

/// Returns the unapplied text for the journal; nullopt without such a text.
std::optional<fx::JournalDraft> Document::journalDraft() const {
    fx::JournalDraft draft;
    if (m_source && (m_source->isModified() || isOwnWork(*m_source, m_file->isLost()))) {
        draft.source = m_source->text().toStdString();
        draft.isSaved = !m_source->isModified(); // as long as the file has it
    }
    if (m_draft) {
        draft.version = entryOf(*m_versions->history(), m_draft->version).value_or(0);
        draft.code = m_draft->text.toStdString();
        if (m_source) draft.base = m_draft->base->text; // the source may have changed since
    }
    if (hasOwnHistory() && m_graphText != m_source->text()) draft.traced = m_graphText.toStdString();
    if (m_source && (draft.isTyped() || hasOwnHistory())) {
        const QJsonObject choices = m_source->choices().toJson();
        draft.choices = DocumentSource::journalText(choices);
        if (hasOwnHistory() && m_graphChoices != choices)
            draft.tracedChoices = DocumentSource::journalText(m_graphChoices);
    }
    const bool isAnything = draft.isTyped() || draft.source || draft.traced || draft.choices;
    return isAnything ? std::optional(std::move(draft)) : std::nullopt;
}

void Document::leaveJournal() {
    m_journal->leave();
    if (isModified()) m_file->keepPrivate(); // it is what the journal is about
}

void Document::setSaved(const std::shared_ptr<const fx::GraphModule>& version, const QString& path) {
    const QString before = m_file->title();
    m_versions->setSaved(version);
    m_file->setSaved(path);
    if (!path.isEmpty()) m_operations->retitle(before, m_file->title());
    const auto& known = m_file->onDisk();
    const bool isOnDisk = known && !path.isEmpty() &&
                          QDir::cleanPath(QFileInfo(path).absoluteFilePath()) == QString::fromStdString(known->path);
    if (const auto entry = entryOf(*m_versions->history(), version))
        m_journal->record([&](fx::Journal& journal) { journal.saved(*entry, isOnDisk ? known : std::nullopt); });
    Q_EMIT versionChanged();
}

/// From now on the model is nowhere else: the journal keeps it, whether it was edited or not.
void Document::setFileLost(bool lost) {
    if (!module() || !m_file->setLost(lost)) return;
    if (lost) m_journal->record([](fx::Journal& journal) { journal.keepOpened(); });
    if (m_source) recordDraftSoon();
    Q_EMIT versionChanged();
}

} // namespace ui
