// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/edit/steps/step_list.h"
#include "core/journal/model_identity.h"

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace fx {

/// The journal of a process that ended without closing its model. The object holds the lock of the journal file.
class OrphanedJournal {
public:
    /// One record of the journal.
    struct Change {
        /// The kind of record.
        enum class Kind : std::uint8_t { Edit, GoTo, Saved } kind = Kind::Edit;
        std::string name;                                       ///< of an edit
        StepList steps;                                         ///< of an edit
        std::vector<std::pair<std::string, std::string>> files; ///< files that the steps read: path and digest
        std::chrono::system_clock::time_point time;
        std::size_t nodes = 0;             ///< of the graph after the edit
        std::string traced;                ///< `tracedDigest` of the first version; empty if it was not traced
        std::size_t version = 0;           ///< of a GoTo or Saved
        std::optional<ModelIdentity> file; ///< identity of the saved file, if recorded
        bool isGone = false;               ///< the file no longer has the saved content
    };

    /// Locks and reads a journal; returns null if its process is alive. Throws Error{File} if it is not a journal or
    /// has an unknown version.
    static std::shared_ptr<OrphanedJournal> take(const std::string& path);
    ~OrphanedJournal();
    OrphanedJournal(const OrphanedJournal&) = delete;
    OrphanedJournal& operator=(const OrphanedJournal&) = delete;

    const std::string& path() const { return m_path; }
    /// The model to which the edits apply.
    const ModelIdentity& base() const { return m_base; }
    /// In the order of events.
    const std::vector<Change>& changes() const { return m_changes; }
    /// Returns the number of changes that separate the current state from the last saved or opened file: edits that the
    /// file lacks, and edits in the file that were undone since. Edits that were undone again do not count.
    std::size_t unsavedChanges() const;
    /// The edits that lead to a version, as indices into `changes`. Negative indices are edits that the file came with.
    struct Effect {
        std::vector<std::int64_t> current, saved;
    };
    /// Returns the edits in effect and those in the last saved file that still exists.
    Effect effect() const;
    /// Unapplied code and unsaved source.
    const std::optional<JournalDraft>& draft() const { return m_draft; }
    /// True if there is something to recover, or something that another version of Lancet may be able to read. May read
    /// files.
    bool isWorthKeeping() const { return !m_problem.empty() || m_isDamaged || hasChanges() || hasOnlyCopy(); }
    /// True if there are edits or typed texts that no file has.
    bool hasChanges() const { return (m_draft && m_draft->isTyped()) || unsavedChanges() > 0; }
    /// True if the files of the model have gone or have another content, and the journal has a copy. Reads files.
    bool hasOnlyCopy() const;
    /// True if the journal has a complete copy of the base. Reads files.
    bool hasKeptBase() const;
    /// Returns the last recorded save, or null.
    const Change* lastSave() const;
    /// Returns the time of the last edit, or of the draft if that is later.
    std::chrono::system_clock::time_point lastTime() const;
    /// Returns the last edit in effect; null without edits, or if it came with the file.
    const Change* lastEdit() const;
    /// True if Lancet kept the content of `base().path` before overwriting it.
    bool baseIsKept() const { return m_baseIsKept; }
    /// Returns the path of the kept content, whether or not it exists.
    std::string keptBase() const;
    /// Why part of the journal is unreadable, or empty. A damaged or truncated record is not a problem: it ends the
    /// journal.
    const std::string& problem() const { return m_problem; }
    /// True if later changes are damaged and nothing is known of them.
    bool isDamaged() const { return m_isDamaged; }
    /// True if the process was asked to end, as at the end of a session, and ended in order.
    bool wasLeft() const { return m_wasLeft; }
    /// Deletes the journal and its files, and the file of new source that the user never saved.
    void discard();

private:
    friend class Journal;
    OrphanedJournal() = default;
    void read(const std::string& bytes);
    void take(JsonValue head, std::string steps);
    void readDrafts();
    std::optional<JournalDraft> draftIn(std::string_view name);
    void findGone();
    bool lacksSteps(JsonValue head) const;
    std::string keptSteps(const std::string& name) const;

    std::string m_path, m_problem;
    int m_descriptor = -1;
    std::uint64_t m_goodBytes = 0;
    ModelIdentity m_base;
    bool m_baseIsKept = false, m_wasLeft = false, m_isDamaged = false;
    std::size_t m_firstVersion = 0;
    std::optional<JournalDraft> m_draft;
    std::chrono::system_clock::time_point m_draftTime;
    std::chrono::system_clock::time_point m_written; ///< modification time of the file, for journals without times
    std::vector<Change> m_changes;
};

/// The journals in a folder whose processes ended with unsaved changes, oldest first. Journals without such changes are
/// deleted; unreadable ones are kept.
std::vector<std::shared_ptr<OrphanedJournal>> orphanedJournals(const std::string& folder);

} // namespace fx
