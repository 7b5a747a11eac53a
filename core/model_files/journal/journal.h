// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/edit/history.h"
#include "core/model_files/journal/model_identity.h"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace fx {

class OrphanedJournal;

/// The crash journal of one open model: records every change on disk immediately.
///
/// Each change is appended with one write before the call returns, so that a crash of the process loses nothing. A
/// thread syncs it to disk at most `kSyncAfter` later and at each save, so that a crash of the machine loses little.
/// The file is created with the first change and remains if the process ends without `remove`; `orphanedJournals` then
/// finds it.
///
/// Functions that write throw Error{Refused}; failed writes are retried, in order, with the next change.
/// Thread-safe.
class Journal {
public:
    static constexpr std::chrono::seconds kSyncAfter{15};
    static constexpr std::size_t kLargeSteps = 1 << 20; ///< size from which the steps of an edit get a separate file

    /// The folder of journals: lancet/journals in XDG_STATE_HOME, by default ~/.local/state.
    static std::string defaultFolder();

    /// For a model opened from `base`. Does not touch the disk.
    Journal(std::string folder, ModelIdentity base);
    /// Continues the journal of a crashed process after its last complete record.
    explicit Journal(const OrphanedJournal& orphan);
    ~Journal();
    Journal(const Journal&) = delete;
    Journal& operator=(const Journal&) = delete;

    /// Records the current version of `history` as a new edit.
    void edited(const History& history);
    /// Records that another version became current.
    void wentTo(std::size_t version);
    /// Records that a version was saved; edits up to it need no recovery.
    void saved(std::size_t version);
    /// Call before overwriting a file. If it is the base of the edits, its content is kept beside the journal (as a
    /// link if the file system supports it, else as a copy, which may take a while).
    void beforeOverwriting(const std::string& target);
    /// Removes the journal and its files, after the edits were saved or discarded.
    void remove();

private:
    void append(std::string payload);
    void create();
    std::string filesFolder();
    void keepSyncing(const std::stop_token& stop);
    std::string keepSteps(const std::string& steps);
    [[noreturn]] void fail(const std::string& what) const;

    std::mutex m_mutex;
    std::string m_folder, m_path; ///< `m_path`: empty until the file exists
    ModelIdentity m_base;
    bool m_baseKept = false;
    int m_descriptor = -1;
    std::uint64_t m_end = 0; ///< bytes of complete records
    std::string m_pending;   ///< records not yet written
    bool m_dirty = false, m_syncNow = false;
    std::condition_variable_any m_wake;
    std::jthread m_syncing;
};

} // namespace fx
