// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/edit/history.h"
#include "core/journal/held_files.h"
#include "core/journal/model_identity.h"

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

namespace fx {

class DataFile;
class OrphanedJournal;

/// The crash journal of one open model: records every change on disk immediately.
///
/// Each change is appended with one write before the call returns, so a crash of the process loses nothing. A thread
/// syncs the file to the medium within `kSyncAfter` and after each save, which bounds the loss if the machine crashes.
/// The same thread copies the files that steps read; until then the files themselves are needed. The journal file is
/// created with the first change and stays if the process ends without `remove`, so that `orphanedJournals` finds it.
///
/// Functions that write throw Error{Refused}; failed writes are retried, in order, with the next change. If the journal
/// or its files were removed or moved, the next change writes all of them again. Thread-safe.
class Journal {
public:
    /// Maximum delay before a change is on the medium.
    static constexpr std::chrono::seconds kSyncAfter{15};
    static constexpr std::size_t kLargeSteps = 1 << 20; ///< size from which the steps of an edit get a separate file
    static constexpr std::uint64_t kLargestCopy = std::uint64_t{128} << 20; ///< bytes of a base that is copied

    /// The folder of journals: lancet/journals in XDG_STATE_HOME, by default ~/.local/state.
    static std::string defaultFolder();
    /// Returns the start of the paths of new source without a file of the user, beside the folder of journals.
    static std::string newSourcePath(const std::string& folder = defaultFolder());

    /// Open files of a base (`contentOf`). They keep their content even if other processes overwrite the files.
    using Content = std::vector<std::shared_ptr<const DataFile>>;

    /// Starts a journal for the model opened from `base`, at `version` of its project. Writes nothing to disk.
    Journal(std::string folder, ModelIdentity base, std::size_t version = 0, Content content = {});
    /// Continues the journal of a process that ended, after its last complete record.
    explicit Journal(const OrphanedJournal& orphan);
    ~Journal();
    Journal(const Journal&) = delete;
    Journal& operator=(const Journal&) = delete;

    /// Records the current version of `history` as a new edit.
    void edited(const History& history);
    /// Records that another version became current.
    void wentTo(std::size_t version);
    /// Records that `version` was saved, to `file` if known. Earlier changes need no recovery.
    void saved(std::size_t version, const std::optional<ModelIdentity>& file = {});
    /// Stores unapplied or unsaved text, replacing the previous draft; nullopt removes it. Source and code are stored
    /// separately: if a text of one exceeds `kMaxDraft`, its previous draft stays, and the function throws
    /// Error{Refused} after it has written the other one.
    void typed(const std::optional<JournalDraft>& draft);
    static constexpr std::size_t kMaxDraft = 16 << 20; ///< bytes of one text
    /// Moves the last draft of another journal to this one.
    void takeTyped(Journal& before);
    /// Creates the journal without an edit and keeps the base as it was opened. Call it when the file of the base has
    /// gone or has another content.
    void keepOpened();
    /// Keeps the content of `target` beside the journal if it is the base of the edits: as a link where the file system
    /// supports it, else as a copy, which may take long. Call it before overwriting a file.
    void beforeOverwriting(const std::string& target);
    /// Records that the edits were applied to another state of the model, `base`, which is `version` of `history`. From
    /// then on the journal contains the edits that lead from there to the current version.
    void rebased(ModelIdentity base, const History& history, std::size_t version);
    /// Records an orderly end of the process with unsaved edits, so that recovery does not report a crash. Ignores
    /// failed writes.
    void leave();
    /// Removes the journal and its files. Call it after the edits were saved or discarded.
    void remove();

private:
    void append(std::string payload);
    void create();
    void begin(const std::string& path, std::string_view records);
    void needFile();
    void keepAgain();
    void holdBase();
    std::string keptFolder() const;
    void isThere(const std::string& path); ///< a new file beside the journal
    bool keepDraft(std::string_view name, const JournalDraft& part);
    std::string filesFolder();
    void touched();
    void keepSyncing(const std::stop_token& stop);
    std::string keepSteps(const std::string& steps);
    std::string keepFile(const std::string& file);
    void keepBaseSoon();
    void copyBase(std::unique_lock<std::mutex>& lock, const std::stop_token& stop);
    void copyBaseFile(const std::string& from, const std::string& to, const std::stop_token& stop) const;
    void copyFiles(std::unique_lock<std::mutex>& lock, const std::stop_token& stop);
    [[noreturn]] void fail(const std::string& what) const;

    std::mutex m_mutex;
    std::string m_folder, m_path; ///< `m_path`: empty until the file exists
    ModelIdentity m_base;
    const Content m_content; ///< content of the original base
    bool m_baseKept = false;
    bool m_holdsBase = false; ///< m_held has all files of the copied base
    int m_descriptor = -1;
    std::uint64_t m_end = 0;  ///< bytes of complete records
    std::string m_pending;    ///< records not yet written
    std::string m_savedFirst; ///< record of the last save before the file exists
    bool m_dirty = false, m_syncNow = false, m_isNew = false;
    std::weak_ptr<const GraphModule> m_traced; ///< the model of `m_tracedDigest`
    std::string m_tracedDigest;
    std::size_t m_version = 0;                                     ///< current version when the model was opened
    std::vector<HeldFiles::Copy> m_copies;                         ///< files still to be copied
    std::vector<std::pair<std::string, std::string>> m_baseCopies; ///< the same for the base, with their targets
    HeldFiles m_held;                                              ///< files beside the journal
    std::vector<std::string> m_unsynced; ///< files that must be on the medium before the next record
    std::optional<Error> m_notCopied;    ///< reported with the next edit
    std::stop_source m_removed;          ///< stops copies that are no longer needed
    std::condition_variable_any m_wake;
    std::jthread m_syncing;
};

} // namespace fx
