// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/journal/journal.h"

#include <QElapsedTimer>
#include <QTimer>

#include <functional>
#include <memory>
#include <optional>

namespace ui {

/// The crash journal of a document until its edits are saved, and why it may lack some. GUI thread only.
class DocumentJournal final : public QObject {
    Q_OBJECT
public:
    /// Returns the text to record as the draft; nullopt if nothing is typed or saved.
    using Typed = std::function<std::optional<fx::JournalDraft>()>;

    /// `typed` is called whenever the draft is recorded.
    explicit DocumentJournal(Typed typed, QObject* parent = nullptr);

    /// The journal; null for a model without a file. Call its `beforeOverwriting` before writing a file, from any
    /// thread.
    const std::shared_ptr<fx::Journal>& file() const { return m_file; }
    /// Begins another journal and returns the one before, which stays on disk.
    std::shared_ptr<fx::Journal> begin(std::shared_ptr<fx::Journal> journal);
    /// Begins again with the edits of `history` and without those that were given up. The draft goes over, so that it
    /// is in one of the two journals at any time, also if it has become too large since.
    void restart(fx::ModelIdentity base, const fx::History& history);
    void leave(); ///< Records the draft and keeps the journal on disk for the next start.
    void end();   ///< Removes the journal, because all edits are saved or discarded.

    /// Writes a change, if there is a journal. A failure becomes `problem`.
    void record(const std::function<void(fx::Journal&)>& write);
    /// Writes the draft. A failure becomes `problem`.
    void recordDraft();
    /// Calls `recordDraft` a second after the last call, and at the latest 5 s after the first one. Without unsaved
    /// text (`isTyped`), calls it as soon as the edit that applies the draft is in the journal.
    void recordDraftSoon(bool isTyped);

    /// The reason why edits cannot be recovered after a crash; empty if they can.
    const QString& problem() const { return m_problem.isEmpty() ? m_draftProblem : m_problem; }
    void setProblem(const QString& problem); ///< Sets the reason why the last change is not in the journal.

Q_SIGNALS:
    void problemChanged(); ///< Emitted when `problem` changes.

private:
    Typed m_typed;
    std::shared_ptr<fx::Journal> m_file;
    QTimer m_draftPause{this};    ///< runs while the user types
    QElapsedTimer m_draftChanged; ///< since the first change that is not in the journal
    QString m_problem;            ///< why the last change is not in the journal
    QString m_draftProblem;       ///< the same of what is typed
};

} // namespace ui
