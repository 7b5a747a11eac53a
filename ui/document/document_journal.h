// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/journal/journal.h"

#include <QObject>

#include <functional>
#include <memory>
#include <optional>

namespace ui {

/// The crash journal of a document until its edits are saved, and why it may lack some. GUI thread only.
class DocumentJournal final : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;

    /// The journal; null for a model without a file. Call its `beforeOverwriting` before writing a file, from any
    /// thread.
    const std::shared_ptr<fx::Journal>& file() const { return m_file; }
    /// Begins another journal and returns the one before, which stays on disk.
    std::shared_ptr<fx::Journal> begin(std::shared_ptr<fx::Journal> journal);
    void leave(); ///< Keeps the journal on disk for the next start.
    void end();   ///< Removes the journal, because all edits are saved or discarded.

    /// Writes a change, if there is a journal. A failure becomes `problem`.
    void record(const std::function<void(fx::Journal&)>& write);
    /// Writes the text that is typed; nullopt if there is no such text. A failure becomes `problem`.
    void recordDraft(const std::optional<fx::JournalDraft>& draft);

    /// The reason why edits cannot be recovered after a crash; empty if they can.
    const QString& problem() const { return m_problem.isEmpty() ? m_draftProblem : m_problem; }
    void setProblem(const QString& problem); ///< Sets the reason why the last change is not in the journal.

Q_SIGNALS:
    void problemChanged(); ///< Emitted when `problem` changes.

private:
    std::shared_ptr<fx::Journal> m_file;
    QString m_problem;      ///< why the last change is not in the journal
    QString m_draftProblem; ///< the same of what is typed
};

} // namespace ui
