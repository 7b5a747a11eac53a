// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/journal/journal.h"

#include "core/edit/steps/step_files.h"
#include "core/files/private_folder.h"
#include "core/journal/journal_format.h"
#include "core/journal/recovery.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <optional>
#include <sys/file.h>
#include <unistd.h>
#include <utility>

namespace fx {
namespace {

namespace fs = std::filesystem;

std::int64_t milliseconds(std::chrono::system_clock::time_point time) {
    return std::chrono::duration_cast<std::chrono::milliseconds>(time.time_since_epoch()).count();
}

/// Writes in parts, as the system takes them. Returns false and sets errno on failure.
bool writeWhole(int file, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t written = ::write(file, bytes.data(), bytes.size());
        if (written < 0 && errno != EINTR) return false;
        if (written > 0) bytes.remove_prefix(static_cast<std::size_t>(written));
    }
    return true;
}

/// A name that no other journal has: the model, the process, the time.
std::string journalName(const std::string& modelPath) {
    std::string name = fs::path(modelPath).filename().string().substr(0, 80);
    return name + "-" + std::to_string(::getpid()) + "-" +
           std::to_string(std::chrono::steady_clock::now().time_since_epoch().count());
}

} // namespace

std::string Journal::defaultFolder() {
    return userFolder("XDG_STATE_HOME", ".local/state") + "/journals"; // without a home, it cannot be created
}

std::string Journal::newSourcePath(const std::string& folder) {
    return fs::path(folder).parent_path().string() + "/new/untitled_";
}

Journal::Journal(std::string folder, ModelIdentity base, std::size_t version, Content content)
    : m_folder(std::move(folder)), m_base(std::move(base)), m_content(std::move(content)), m_version(version) {}

Journal::Journal(const OrphanedJournal& orphan)
    : m_folder(fs::path(orphan.path()).parent_path().string()), m_path(orphan.path()), m_base(orphan.base()),
      m_baseKept(orphan.baseIsKept()), m_end(orphan.m_goodBytes) {
    // The same open file, so that the lock is never given away; a torn tail goes before the next record.
    m_descriptor = ::fcntl(orphan.m_descriptor, F_DUPFD_CLOEXEC, 0);
    if (m_descriptor < 0 || ::ftruncate(m_descriptor, static_cast<off_t>(m_end)) != 0) fail("continue");
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(journalFilesFolder(m_path), ignored)) m_held.hold(entry.path());
    holdBase();
}

Journal::~Journal() {
    m_syncing = {};
    if (m_descriptor >= 0) ::close(m_descriptor);
}

void Journal::fail(const std::string& what) const {
    throw Error(ErrorKind::Refused, Message("journal.failed", {{"action", what}, {"detail", std::strerror(errno)}}))
        .in(m_path.empty() ? m_folder : m_path);
}

void Journal::edited(const History& history) {
    const History::Entry& entry = history.entries()[history.current()];
    const std::lock_guard lock(m_mutex);
    std::optional<Error> notKept = std::exchange(m_notCopied, std::nullopt);
    // What cannot be kept beside the journal does not keep the edit out of it: what follows would have nothing to stand
    // on.
    const auto keep = [&notKept](const auto& action) {
        try {
            action();
        } catch (const Error& error) { notKept = error; }
    };
    JsonWriter json;
    json.beginObject()
        .key("edit")
        .string(entry.name)
        .key("time")
        .integer(milliseconds(entry.time))
        .key("nodes")
        .integer(static_cast<std::int64_t>(entry.model->graph.size()));
    if (const auto& first = history.entries().front().model; first->format == Format::Python) {
        if (m_traced.lock() != first) m_traced = first, m_tracedDigest = tracedDigest(*first);
        json.key("traced").string(m_tracedDigest);
    }
    json.key("files").beginArray();
    for (const std::string& file : filesInSteps(entry.steps))
        keep([&] {
            const std::string digest = keepFile(file);
            json.beginObject().key("path").string(file).key("digest").string(digest).endObject();
        });
    json.endArray();
    std::string steps = entry.steps.text(), kept;
    if (steps.size() > kLargeSteps) keep([&] { kept = keepSteps(steps); });
    if (!kept.empty()) steps.clear(), json.key("steps_file").string(kept);
    append(json.endObject().text() + "\n" + steps);
    if (notKept) throw *notKept;
}

void Journal::wentTo(std::size_t version) {
    const std::lock_guard lock(m_mutex);
    JsonWriter json;
    json.beginObject().key("go_to").integer(static_cast<std::int64_t>(version));
    json.key("time").integer(milliseconds(std::chrono::system_clock::now()));
    append(json.endObject().text());
}

void Journal::saved(std::size_t version, const std::optional<ModelIdentity>& file) {
    const std::lock_guard lock(m_mutex);
    JsonWriter json;
    json.beginObject().key("saved").integer(static_cast<std::int64_t>(version));
    if (file) file->write(json);
    json.endObject();
    if (m_path.empty() && m_pending.empty()) { // what is edited later belongs to that file
        m_savedFirst = journalRecord(json.text());
        return;
    }
    append(json.text());
    m_syncNow = true;
    m_wake.notify_all();
}

void Journal::keepOpened() {
    const std::lock_guard lock(m_mutex);
    needFile();
    touched();
}

void Journal::rebased(ModelIdentity base, const History& history, std::size_t version) {
    {
        const std::lock_guard lock(m_mutex);
        m_base = std::move(base);
        m_baseKept = m_holdsBase = false;
        m_version = version;
        JsonWriter json;
        json.beginObject().key("base").beginObject();
        m_base.write(json);
        json.endObject().key("version").integer(static_cast<std::int64_t>(version)).endObject();
        m_pending += journalRecord(json.text()); // written with the first edit: never without any
    }
    History each = history;
    for (std::size_t i = version + 1; i <= history.current(); ++i) {
        each.goTo(i);
        edited(each);
    }
}

/// Without a word where it fails: the edits are there.
void Journal::leave() {
    const std::lock_guard lock(m_mutex);
    if (m_path.empty()) return;
    try {
        append(JsonWriter()
                   .beginObject()
                   .key("left")
                   .integer(milliseconds(std::chrono::system_clock::now()))
                   .endObject()
                   .text());
    } catch (const Error&) {} // NOLINT(bugprone-empty-catch)
}

void Journal::append(std::string payload) {
    m_pending += journalRecord(payload);
    needFile();
    if (!writeWhole(m_descriptor, m_pending)) {
        // What was written of a record must not stand before the next ones.
        const int why = errno;
        if (::ftruncate(m_descriptor, static_cast<off_t>(m_end)) != 0) ::close(std::exchange(m_descriptor, -1));
        errno = why;
        fail("write");
    }
    m_end += m_pending.size();
    m_pending.clear();
    touched();
}

/// There is something for the thread to do.
void Journal::touched() {
    m_dirty = true;
    if (!m_syncing.joinable()) m_syncing = std::jthread([this](const std::stop_token& stop) { keepSyncing(stop); });
    m_wake.notify_all();
}

void Journal::create() {
    makePrivateFolder(m_folder);
    const std::string path = m_folder + "/" + journalName(m_base.path) + std::string(kJournalEnding);
    JsonWriter head;
    head.beginObject()
        .key("lancet_journal")
        .integer(kJournalVersion)
        .key("version")
        .integer(static_cast<std::int64_t>(m_version));
    m_base.write(head);
    begin(path, std::string(kJournalMagic) + journalRecord(head.endObject().text()) + m_savedFirst);
    m_path = path;
    keepBaseSoon();
}

/// Locked and with its first records before it has the name by which others find it.
void Journal::begin(const std::string& path, std::string_view records) {
    const std::string fresh = path + ".new";
    const int file = ::open(fresh.c_str(), O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0600);
    const bool whole = file >= 0 && ::flock(file, LOCK_EX | LOCK_NB) == 0 && writeWhole(file, records);
    if (!whole || ::rename(fresh.c_str(), path.c_str()) != 0) {
        const int why = errno;
        ::unlink(fresh.c_str());
        if (file >= 0) ::close(file);
        errno = why;
        fail("create");
    }
    if (m_descriptor < 0) {
        m_descriptor = file;
    } else { // the thread may be using it
        ::dup3(file, m_descriptor, O_CLOEXEC);
        ::close(file);
    }
    m_end = records.size();
    m_isNew = true;
}

/// The file is there afterwards, with all that was recorded before, also when somebody has removed or moved it.
void Journal::needFile() {
    if (m_path.empty()) return create();
    if (!isFileAt(m_path, m_descriptor)) {
        makePrivateFolder(m_folder);
        std::string records(m_end, '\0');
        if (::pread(m_descriptor, records.data(), records.size(), 0) != static_cast<ssize_t>(records.size()))
            fail("read");
        begin(m_path, records);
    }
    if (std::error_code ignored; !fs::exists(journalFilesFolder(m_path), ignored)) keepAgain();
}

void Journal::remove() {
    std::string path;
    {
        const std::lock_guard lock(m_mutex);
        m_dirty = false; // nothing of it is needed any more
        m_copies.clear();
        m_baseCopies.clear();
        m_unsynced.clear();
        path = std::exchange(m_path, {});
    }
    m_removed.request_stop();
    // Before the thread is waited for, which may be writing; the journal first: files that nothing names are harmless.
    if (!path.empty()) ::unlink(path.c_str());
    m_syncing = {};
    m_removed = {};
    m_held.clear();
    if (path.empty()) return;
    std::error_code ignored;
    fs::remove_all(journalFilesFolder(path), ignored);
    ::close(m_descriptor);
    m_descriptor = -1;
    m_pending.clear();
    m_savedFirst.clear();
    m_baseKept = m_holdsBase = false;
}

} // namespace fx
