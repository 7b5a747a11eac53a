// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model_files/journal/journal.h"

#include "core/base/sha256.h"
#include "core/edit/steps/step_files.h"
#include "core/model_files/journal/journal_format.h"
#include "core/model_files/journal/kept_base.h"
#include "core/model_files/journal/recovery.h"
#include "core/tensor/storage.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <linux/fs.h>
#include <numeric>
#include <optional>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <utility>

namespace fx {
namespace {

namespace fs = std::filesystem;

std::int64_t milliseconds(std::chrono::system_clock::time_point time) {
    return std::chrono::duration_cast<std::chrono::milliseconds>(time.time_since_epoch()).count();
}

/// A name that no other journal has: the model, the process, the time.
std::string journalName(const std::string& modelPath) {
    std::string name = fs::path(modelPath).filename().string().substr(0, 80);
    return name + "-" + std::to_string(::getpid()) + "-" +
           std::to_string(std::chrono::steady_clock::now().time_since_epoch().count());
}

/// A file, or the entries of a folder, reach the medium.
void syncAt(const std::string& path, int flags) {
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | flags);
    if (descriptor < 0) return;
    ::fsync(descriptor);
    ::close(descriptor);
}

void makeFolder(const std::string& folder) {
    std::error_code ignored;
    if (fs::create_directories(folder, ignored)) fs::permissions(folder, fs::perms::owner_all, ignored);
}

/// Copies in pieces; false when it was stopped. Throws Error{Refused}.
bool copyFile(const std::string& from, const std::string& to, const std::stop_token& stop) {
    std::ifstream in(from, std::ios::binary);
    std::ofstream out(to, std::ios::binary | std::ios::trunc);
    std::vector<char> piece(4 << 20);
    while (in && out && !stop.stop_requested()) {
        in.read(piece.data(), static_cast<std::streamsize>(piece.size()));
        out.write(piece.data(), in.gcount());
    }
    out.close();
    if (in.eof() && !in.bad() && out) return true;
    if (in && out) return false;
    throw Error(ErrorKind::Refused, Message("journal.cannot_copy")).in(from);
}

bool copyContent(const DataFile& from, const std::string& to, const std::stop_token& stop) {
    std::ofstream out(to, std::ios::binary | std::ios::trunc);
    std::vector<std::byte> piece(4 << 20);
    for (std::uint64_t at = 0; at < from.size() && out && !stop.stop_requested();) {
        piece.resize(static_cast<std::size_t>(std::min<std::uint64_t>(piece.size(), from.size() - at)));
        from.read(at, piece);
        out.write(reinterpret_cast<const char*>(piece.data()), static_cast<std::streamsize>(piece.size()));
        at += piece.size();
    }
    out.close();
    return out && !stop.stop_requested();
}

/// A copy that shares the blocks of the file and so takes no time; false if the file system cannot.
bool copySharing(const std::string& from, const std::string& to) {
    const int source = ::open(from.c_str(), O_RDONLY | O_CLOEXEC);
    const int copy = source < 0 ? -1 : ::open(to.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    const bool done = copy >= 0 && ::ioctl(copy, FICLONE, source) == 0;
    if (copy >= 0) ::close(copy);
    if (copy >= 0 && !done) ::unlink(to.c_str());
    if (source >= 0) ::close(source);
    return done;
}

/// The whole text in the place of what is there; on the medium when the system likes.
void replaceText(const std::string& path, std::string_view text) {
    const std::string fresh = path + ".new";
    std::ofstream out(fresh, std::ios::binary | std::ios::trunc);
    out.write(text.data(), static_cast<std::streamsize>(text.size()));
    out.close();
    std::error_code failed;
    if (out) fs::rename(fresh, path, failed);
    if (!out || failed)
        throw Error(ErrorKind::Refused, Message("journal.keep", {{"file", path}, {"detail", failed.message()}}))
            .in(path);
}

} // namespace

std::string Journal::defaultFolder() {
    const char* state = std::getenv("XDG_STATE_HOME");
    if (state && state[0] == '/') return std::string(state) + "/lancet/journals";
    const char* home = std::getenv("HOME");
    return std::string(home ? home : "/tmp") + "/.local/state/lancet/journals";
}

Journal::Journal(std::string folder, ModelIdentity base, std::size_t version, Content content)
    : m_folder(std::move(folder)), m_base(std::move(base)), m_content(std::move(content)), m_version(version) {}

Journal::Journal(const OrphanedJournal& orphan)
    : m_folder(fs::path(orphan.path()).parent_path().string()), m_path(orphan.path()), m_base(orphan.base()),
      m_baseKept(orphan.baseIsKept()), m_end(orphan.m_goodBytes) {
    // The same open file, so that the lock is never given away; a torn tail goes before the next record.
    m_descriptor = ::fcntl(orphan.m_descriptor, F_DUPFD_CLOEXEC, 0);
    if (m_descriptor < 0 || ::ftruncate(m_descriptor, static_cast<off_t>(m_end)) != 0) fail("continue");
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
    json.key("files").beginArray();
    for (const std::string& file : filesInSteps(entry.steps))
        keep([&] {
            const std::string digest = keepFile(file);
            json.beginObject().key("path").string(file).key("digest").string(digest).endObject();
        });
    json.endArray();
    std::string kept;
    if (entry.steps.size() > kLargeSteps) keep([&] { kept = keepSteps(entry.steps); });
    if (!kept.empty()) json.key("steps_file").string(kept);
    append(json.endObject().text() + "\n" + (kept.empty() ? entry.steps : std::string()));
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

void Journal::typed(const std::optional<JournalDraft>& draft) {
    const std::lock_guard lock(m_mutex);
    if (!draft || draft->bytes() > kMaxDraft) {
        if (!m_path.empty()) ::unlink((journalFilesFolder(m_path) + "/" + std::string(kDraftFile)).c_str());
        if (!draft) return;
        throw Error(ErrorKind::Refused, Message("journal.code_too_large"));
    }
    const std::string path = filesFolder() + "/" + std::string(kDraftFile);
    JsonWriter head;
    std::string texts = "\n";
    head.beginObject().key("version").integer(static_cast<std::int64_t>(draft->version));
    const auto add = [&](const char* key, const std::optional<std::string>& text) {
        if (!text) return;
        head.key(key).integer(static_cast<std::int64_t>(text->size()));
        texts += *text;
    };
    add("source_bytes", draft->source);
    add("code_bytes", draft->code);
    add("base_bytes", draft->base);
    add("traced_bytes", draft->traced);
    add("choices_bytes", draft->choices);
    add("traced_choices_bytes", draft->tracedChoices);
    replaceText(path, head.endObject().text() + texts);
    m_unsynced.push_back(path);
    touched();
}

void Journal::beforeOverwriting(const std::string& target) {
    std::string journal;
    ModelIdentity base;
    std::vector<std::pair<std::string, std::string>> copies;
    {
        const std::lock_guard lock(m_mutex);
        if (m_baseKept || !isOfModel(m_base, target)) return;
        filesFolder();
        journal = m_path;
        base = m_base;
        copies = std::exchange(m_baseCopies, {}); // soon the files have another content
    }
    keepBase(journal, base); // it may be gigabytes: others must not wait for it
    for (const auto& [from, to] : copies)
        if (contentAt(m_content, from)) copyBaseFile(from, to, {});
    const std::lock_guard lock(m_mutex);
    m_baseKept = true;
    append(JsonWriter().beginObject().key("kept").boolean(true).endObject().text());
}

void Journal::rebased(ModelIdentity base, const History& history, std::size_t version) {
    {
        const std::lock_guard lock(m_mutex);
        m_base = std::move(base);
        m_baseKept = false;
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

void Journal::append(std::string payload) {
    m_pending += journalRecord(payload);
    if (m_path.empty()) create();
    for (std::size_t done = 0; done < m_pending.size();) {
        const ssize_t written = ::write(m_descriptor, m_pending.data() + done, m_pending.size() - done);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) {
            // What was written of a record must not stand before the next ones.
            const int why = errno;
            if (::ftruncate(m_descriptor, static_cast<off_t>(m_end)) != 0) ::close(std::exchange(m_descriptor, -1));
            errno = why;
            fail("write");
        }
        done += static_cast<std::size_t>(written);
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

/// Locked and with its first record before it has the name by which others find it.
void Journal::create() {
    makeFolder(m_folder);
    const std::string path = m_folder + "/" + journalName(m_base.path) + std::string(kJournalEnding),
                      fresh = path + ".new";
    JsonWriter head;
    head.beginObject()
        .key("lancet_journal")
        .integer(kJournalVersion)
        .key("version")
        .integer(static_cast<std::int64_t>(m_version));
    m_base.write(head);
    const std::string start = std::string(kJournalMagic) + journalRecord(head.endObject().text()) + m_savedFirst;
    m_descriptor = ::open(fresh.c_str(), O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0600);
    const bool whole = m_descriptor >= 0 && ::flock(m_descriptor, LOCK_EX | LOCK_NB) == 0 &&
                       ::write(m_descriptor, start.data(), start.size()) == static_cast<ssize_t>(start.size());
    if (!whole || ::rename(fresh.c_str(), path.c_str()) != 0) {
        const int why = errno;
        ::unlink(fresh.c_str());
        if (m_descriptor >= 0) ::close(m_descriptor);
        m_descriptor = -1;
        errno = why;
        fail("create");
    }
    m_path = path;
    m_end = start.size();
    m_isNew = true;
    keepBaseSoon();
}

/// Any program may write over the base. It is copied on the thread unless it is large: then a copy that shares its
/// blocks has to do, or, where the file system cannot, a link, which keeps what is replaced, but not what is written in
/// place.
void Journal::keepBaseSoon() {
    const auto add = [](std::uint64_t sum, const ModelIdentity::File& file) { return sum + file.size; };
    const std::uint64_t bytes = std::accumulate(m_base.files.begin(), m_base.files.end(), std::uint64_t{0}, add);
    std::error_code ignored;
    if (m_baseKept) return;
    const std::string folder =
        fs::is_directory(m_base.path, ignored) ? keptBasePath(m_path, m_base) : keptBaseFolder(m_path);
    for (const std::string& each : {journalFilesFolder(m_path), keptBaseFolder(m_path), folder}) makeFolder(each);
    for (const ModelIdentity::File& file : m_base.files) {
        const std::string from = m_base.pathOf(file), to = folder + "/" + file.name;
        const DataFile* content = contentAt(m_content, from);
        const bool isOther = content && !content->unchanged();
        if (bytes <= kLargestCopy || isOther) m_baseCopies.emplace_back(from, to);
        else if (!copySharing(from, to)) (void)::link(from.c_str(), to.c_str());
    }
}

std::string Journal::filesFolder() {
    if (m_path.empty()) create();
    const std::string folder = journalFilesFolder(m_path);
    makeFolder(folder);
    return folder;
}

/// Steps in a file named by their content, written before the record that names them.
std::string Journal::keepSteps(const std::string& steps) {
    const std::string name = sha256(steps), path = filesFolder() + "/" + name;
    if (std::error_code ignored; fs::exists(path, ignored)) return name;
    replaceText(path, steps);
    m_unsynced.push_back(path);
    return name;
}

/// A file that steps read gets a copy named by its digest. One that nobody may write is linked; others take their time,
/// on the thread.
std::string Journal::keepFile(const std::string& file) {
    const std::string digest = fileDigest(file), kept = filesFolder() + "/" + digest;
    std::error_code failed;
    if (fs::exists(kept, failed)) return digest;
    constexpr auto kWritable = fs::perms::owner_write | fs::perms::group_write | fs::perms::others_write;
    const bool isConstant = (fs::status(file, failed).permissions() & kWritable) == fs::perms::none;
    if (!isConstant || ::link(file.c_str(), kept.c_str()) != 0) m_copies.emplace_back(file, kept);
    return digest;
}

/// Without a word where it fails: only another program's writing needs it.
void Journal::copyBase(std::unique_lock<std::mutex>& lock, const std::stop_token& stop) {
    while (!m_baseCopies.empty()) {
        const auto [from, to] = m_baseCopies.back();
        m_baseCopies.pop_back();
        lock.unlock();
        copyBaseFile(from, to, stop);
        lock.lock();
    }
}

/// As it was opened, where that is known.
void Journal::copyBaseFile(const std::string& from, const std::string& to, const std::stop_token& stop) const {
    std::error_code failed;
    if (fs::exists(to, failed)) return;
    const std::string fresh = to + ".new";
    const DataFile* content = contentAt(m_content, from);
    try {
        if (content ? copyContent(*content, fresh, stop) : copyFile(from, fresh, stop)) fs::rename(fresh, to, failed);
    } catch (const Error&) {} // NOLINT(bugprone-empty-catch)
}

void Journal::copyFiles(std::unique_lock<std::mutex>& lock, const std::stop_token& stop) {
    while (!m_copies.empty()) {
        const auto [from, to] = m_copies.front();
        m_copies.erase(m_copies.begin());
        lock.unlock();
        std::optional<Error> failed;
        try {
            std::error_code ignored;
            if (copyFile(from, to + ".new", stop)) fs::rename(to + ".new", to, ignored);
        } catch (const Error& error) { failed = error; }
        lock.lock();
        if (failed) m_notCopied = failed;
        m_unsynced.push_back(to);
    }
}

void Journal::keepSyncing(const std::stop_token& stop) {
    std::unique_lock lock(m_mutex);
    while (m_wake.wait(lock, stop, [this] { return m_dirty; })) {
        copyFiles(lock, m_removed.get_token());
        copyBase(lock, m_removed.get_token());
        m_wake.wait_for(lock, stop, kSyncAfter, [this] { return m_syncNow || !m_copies.empty(); });
        if (!m_copies.empty()) continue;
        m_dirty = m_syncNow = false;
        const bool isNew = std::exchange(m_isNew, false);
        const auto files = std::exchange(m_unsynced, {});
        const int descriptor = m_descriptor;
        lock.unlock();
        for (const std::string& file : files) syncAt(file, 0);
        if (isNew) syncAt(m_folder, O_DIRECTORY);
        ::fdatasync(descriptor);
        lock.lock();
    }
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
    if (path.empty()) return;
    std::error_code ignored;
    fs::remove_all(journalFilesFolder(path), ignored);
    ::close(m_descriptor);
    m_descriptor = -1;
    m_pending.clear();
    m_savedFirst.clear();
    m_baseKept = false;
}

} // namespace fx
