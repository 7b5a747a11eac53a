// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/model_files/journal/model_identity.h"

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace fx {

/// The journal of a process that ended without closing its model. The journal is locked during the lifetime of this
/// object.
class OrphanedJournal {
public:
    struct Change {
        enum class Kind : std::uint8_t { Edit, GoTo, Saved } kind = Kind::Edit;
        std::string name, steps;                                ///< of an edit
        std::vector<std::pair<std::string, std::string>> files; ///< that the steps read: path and digest
        std::chrono::system_clock::time_point time;
        std::size_t nodes = 0;             ///< of the graph after an edit
        std::size_t version = 0;           ///< of the others
        std::optional<ModelIdentity> file; ///< of a save: what it wrote, where the journal says it
        bool isGone = false;               ///< of a save: the file no longer exists, so nothing is saved there
    };

    /// Locks and reads a journal; null if its process is alive. Throws Error{File} if it is not a journal or has
    /// another version.
    static std::shared_ptr<OrphanedJournal> take(const std::string& path);
    ~OrphanedJournal();
    OrphanedJournal(const OrphanedJournal&) = delete;
    OrphanedJournal& operator=(const OrphanedJournal&) = delete;

    const std::string& path() const { return m_path; }
    const ModelIdentity& base() const { return m_base; }
    const std::vector<Change>& changes() const { return m_changes; }
    /// How many changes are in effect that the file that was saved or opened last lacks: edits that it does not have,
    /// and those that it has and that were undone since. An edit that was undone again does not count.
    std::size_t unsavedChanges() const;
    /// The edits that lead to a version, as indices in `changes`; those that the file came with are below zero.
    struct Effect {
        std::vector<std::int64_t> current, saved;
    };
    Effect effect() const;
    /// Code that was typed and not applied, and source that was not saved.
    const std::optional<JournalDraft>& draft() const { return m_draft; }
    /// There is something to recover, or something that another Lancet may be able to read.
    bool isWorthKeeping() const {
        return !m_problem.empty() || (m_draft && m_draft->isTyped()) || unsavedChanges() > 0;
    }
    /// The save that the journal tells of last, or null.
    const Change* lastSave() const;
    /// When the last edit was made or something was typed.
    std::chrono::system_clock::time_point lastTime() const;
    /// The last edit in effect; null if nothing was edited, or the edit came with the file.
    const Change* lastEdit() const;
    /// Whether this Lancet kept the content of base().path before it wrote over it; `keptBase` is where it would be.
    bool baseIsKept() const { return m_baseIsKept; }
    std::string keptBase() const;
    /// Why part of it could not be read, or empty. A truncated last record is not a problem.
    const std::string& problem() const { return m_problem; }
    /// Deletes the journal and its files.
    void discard();

private:
    friend class Journal;
    OrphanedJournal() = default;
    void read(const std::string& bytes);
    void take(JsonValue head, std::string steps);
    void readDraft();
    bool lacksSteps(JsonValue head) const;
    std::string keptSteps(const std::string& name) const;

    std::string m_path, m_problem;
    int m_descriptor = -1;
    std::uint64_t m_goodBytes = 0;
    ModelIdentity m_base;
    bool m_baseIsKept = false;
    std::size_t m_firstVersion = 0;
    std::optional<JournalDraft> m_draft;
    std::chrono::system_clock::time_point m_draftTime;
    std::chrono::system_clock::time_point m_written; ///< the file: for journals whose records have no times
    std::vector<Change> m_changes;
};

/// The journals in a folder whose processes ended with unsaved changes, oldest first. Journals without such changes are
/// deleted; unreadable ones are kept.
std::vector<std::shared_ptr<OrphanedJournal>> orphanedJournals(const std::string& folder);

} // namespace fx
