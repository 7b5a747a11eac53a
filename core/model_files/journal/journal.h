// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/edit/history.h"
#include "core/model_files/journal/model_identity.h"

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
/// Each change is appended with one write before the call returns, so that the end of the process loses nothing; a
/// thread brings it to the medium at most `kSyncAfter` later and at each save, so that the end of the machine loses
/// little. The same thread copies the files that steps read; until it has, the files themselves are needed. The file
/// appears with the first change and stays when the process ends without `remove`; `orphanedJournals` finds it then.
///
/// Functions that write throw Error{Refused}; failed writes are retried, in order, with the next change.
/// Thread-safe.
class Journal {
public:
    static constexpr std::chrono::seconds kSyncAfter{15};
    static constexpr std::size_t kLargeSteps = 1 << 20; ///< size from which the steps of an edit get a separate file
    static constexpr std::uint64_t kLargestCopy = std::uint64_t{128} << 20; ///< bytes of a base that is copied

    /// The folder of journals: lancet/journals in XDG_STATE_HOME, by default ~/.local/state.
    static std::string defaultFolder();

    /// The open files of a base (`contentOf`). What they had then is kept, also when others write over them.
    using Content = std::vector<std::shared_ptr<const DataFile>>;

    /// For a model that was opened from `base`, at a version of its project. Touches nothing on disk.
    Journal(std::string folder, ModelIdentity base, std::size_t version = 0, Content content = {});
    /// Goes on with the journal of a process that ended, after what is whole of it.
    explicit Journal(const OrphanedJournal& orphan);
    ~Journal();
    Journal(const Journal&) = delete;
    Journal& operator=(const Journal&) = delete;

    /// Records the current version of `history` as a new edit.
    void edited(const History& history);
    /// Records that another version became current.
    void wentTo(std::size_t version);
    /// A version was saved, to `file` where that is known: up to there nothing needs to be recovered.
    void saved(std::size_t version, const std::optional<ModelIdentity>& file = {});
    /// What is typed and not applied or saved now. Replaces the draft before it; texts over `kMaxDraft` are refused.
    void typed(const std::optional<JournalDraft>& draft);
    static constexpr std::size_t kMaxDraft = 16 << 20; ///< bytes
    /// To be called before a file is overwritten: when it is the base of the edits, its content is kept beside the
    /// journal (a link where the file system can, else a copy, which takes its time).
    void beforeOverwriting(const std::string& target);
    /// The edits were applied to another state of the model, `base`, which is version `version` of `history`: from now
    /// on they are recorded as those that lead from there to its current version.
    void rebased(ModelIdentity base, const History& history, std::size_t version);
    /// Removes the journal and its files, after the edits were saved or discarded.
    void remove();

private:
    void append(std::string payload);
    void create();
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
    const Content m_content; ///< of the base that it was made for
    bool m_baseKept = false;
    int m_descriptor = -1;
    std::uint64_t m_end = 0;  ///< bytes of complete records
    std::string m_pending;    ///< records not yet written
    std::string m_savedFirst; ///< the record of the last save before there is a file
    bool m_dirty = false, m_syncNow = false, m_isNew = false;
    std::size_t m_version = 0;                                     ///< that was current when the model was opened
    std::vector<std::pair<std::string, std::string>> m_copies;     ///< files that are still to be copied, and where to
    std::vector<std::pair<std::string, std::string>> m_baseCopies; ///< the same, of the base
    std::vector<std::string> m_unsynced; ///< files that the next record on the medium needs there
    std::optional<Error> m_notCopied;    ///< told with the next edit
    std::stop_source m_removed;          ///< what is being copied is not needed any more
    std::condition_variable_any m_wake;
    std::jthread m_syncing;
};

} // namespace fx
