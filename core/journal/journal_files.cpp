// SPDX-License-Identifier: GPL-3.0-or-later
// What is beside a journal: its base, files and large steps of edits, and what is typed.
#include "core/journal/journal.h"

#include "core/base/sha256.h"
#include "core/files/private_folder.h"
#include "core/journal/journal_format.h"
#include "core/journal/kept_base.h"
#include "core/tensor/storage.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <linux/fs.h>
#include <numeric>
#include <sys/ioctl.h>
#include <unistd.h>
#include <utility>

namespace fx {
namespace {

namespace fs = std::filesystem;

/// A file, or the entries of a folder, reach the medium.
void syncAt(const std::string& path, int flags) {
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | flags);
    if (descriptor < 0) return;
    ::fsync(descriptor);
    ::close(descriptor);
}

/// Copies in pieces; false when it was stopped. Throws Error{Refused}.
bool copyFile(const std::string& from, const std::string& to, const std::stop_token& stop) {
    std::ifstream in(from, std::ios::binary);
    std::ofstream out(to, std::ios::binary | std::ios::trunc);
    std::vector<char> piece(4 << 20);
    errno = 0; // streams tell of a failure, not of its reason
    while (in && out && !stop.stop_requested()) {
        in.read(piece.data(), static_cast<std::streamsize>(piece.size()));
        out.write(piece.data(), in.gcount());
    }
    out.close();
    if (in.eof() && !in.bad() && out) return true;
    if (in && out) return false;
    throw Error(ErrorKind::Refused, Message("journal.cannot_copy", {{"detail", std::strerror(errno)}})).in(from);
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
    errno = 0; // streams tell of a failure, not of its reason
    out.write(text.data(), static_cast<std::streamsize>(text.size()));
    out.close();
    if (out && ::rename(fresh.c_str(), path.c_str()) == 0) return;
    throw Error(ErrorKind::Refused, Message("journal.keep", {{"file", path}, {"detail", std::strerror(errno)}}))
        .in(path);
}

} // namespace

void Journal::typed(const std::optional<JournalDraft>& draft) {
    const std::lock_guard lock(m_mutex);
    if (m_path.empty() && !draft) return;
    JournalDraft source = draft.value_or(JournalDraft{}), code{source.version};
    code.code = std::exchange(source.code, {}), code.base = std::exchange(source.base, {});
    const bool hasSource = keepDraft(kDraftFile, source), hasCode = keepDraft(kCodeDraftFile, code);
    if (!hasSource || !hasCode)
        throw Error(ErrorKind::Refused, Message("journal.text_too_large", {{"what", hasCode     ? "source"
                                                                                    : hasSource ? "code"
                                                                                                : "source and code"},
                                                                           {"mib", kMaxDraft >> 20}}));
}

void Journal::isThere(const std::string& path) {
    m_held.hold(path);
    m_unsynced.push_back(path);
}

/// False if it is too large: then what was typed before it stays.
bool Journal::keepDraft(std::string_view name, const JournalDraft& part) {
    if (part.longest() > kMaxDraft) return false;
    if (part == JournalDraft{part.version}) {
        if (m_path.empty()) return true;
        const std::string path = journalFilesFolder(m_path) + "/" + std::string(name);
        ::unlink(path.c_str());
        m_held.drop(path);
        return true;
    }
    const std::string path = filesFolder() + "/" + std::string(name);
    JsonWriter head;
    std::string texts = "\n";
    head.beginObject().key("version").integer(static_cast<std::int64_t>(part.version));
    if (part.isSaved) head.key("saved").boolean(true);
    for (const auto& [key, member] : kDraftTexts)
        if (const auto& text = part.*member) {
            head.key(key).integer(static_cast<std::int64_t>(text->size()));
            texts += *text;
        }
    replaceText(path, head.endObject().text() + texts);
    isThere(path);
    touched();
    return true;
}

void Journal::takeTyped(Journal& before) {
    const std::scoped_lock lock(m_mutex, before.m_mutex);
    if (before.m_path.empty()) return;
    for (const std::string_view name : {kDraftFile, kCodeDraftFile}) {
        const std::string from = journalFilesFolder(before.m_path) + "/" + std::string(name);
        if (std::error_code ignored; !fs::exists(from, ignored)) continue;
        const std::string path = filesFolder() + "/" + std::string(name);
        if (::rename(from.c_str(), path.c_str()) != 0) fail("write");
        isThere(path);
        touched();
    }
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
    holdBase();
    append(JsonWriter().beginObject().key("kept").boolean(true).endObject().text());
}

/// Any program may write over the base. It is copied on the thread unless it is large: then a copy that shares its
/// blocks has to do, or, where the file system cannot, a link, which keeps what is replaced, but not what is written in
/// place.
void Journal::keepBaseSoon() {
    const auto add = [](std::uint64_t sum, const ModelIdentity::File& file) { return sum + file.size; };
    const std::uint64_t bytes = std::accumulate(m_base.files.begin(), m_base.files.end(), std::uint64_t{0}, add);
    if (m_baseKept) return;
    const std::string folder = keptFolder();
    for (const std::string& each : {journalFilesFolder(m_path), keptBaseFolder(m_path), folder})
        makePrivateFolder(each);
    for (const ModelIdentity::File& file : m_base.files) {
        const std::string from = m_base.pathOf(file), to = folder + "/" + file.name;
        const DataFile* content = contentAt(m_content, from);
        const bool isOther = content && !content->unchanged();
        if (bytes <= kLargestCopy || isOther) m_baseCopies.emplace_back(from, to);
        else if (!copySharing(from, to)) (void)::link(from.c_str(), to.c_str());
    }
    if (m_baseCopies.empty()) holdBase();
}

/// Where the files of the base are kept.
std::string Journal::keptFolder() const {
    const bool isFolder = !m_base.files.empty() && m_base.pathOf(m_base.files.front()).starts_with(m_base.path + "/");
    return isFolder ? keptBasePath(m_path, m_base) : keptBaseFolder(m_path);
}

/// Not those of a large folder: a process may have only so many files open.
void Journal::holdBase() {
    constexpr std::size_t kMost = 64;
    m_holdsBase = m_base.files.size() <= kMost;
    for (const ModelIdentity::File& file : m_base.files) {
        const std::string path = keptFolder() + "/" + file.name;
        if (m_holdsBase) m_held.hold(path);
        std::error_code ignored;
        m_holdsBase = m_holdsBase && fs::exists(path, ignored);
    }
}

/// All that was beside the journal and has gone with its folder. Links take no time, copies are made on the thread.
void Journal::keepAgain() {
    makePrivateFolder(journalFilesFolder(m_path));
    for (HeldFiles::Copy& copy : m_held.copies()) {
        makePrivateFolder(fs::path(copy.to).parent_path().string());
        if (::linkat(AT_FDCWD, copy.from.c_str(), AT_FDCWD, copy.to.c_str(), AT_SYMLINK_FOLLOW) != 0)
            m_copies.push_back(std::move(copy));
    }
    if (!m_holdsBase) keepBaseSoon();
    touched();
}

std::string Journal::filesFolder() {
    needFile();
    const std::string folder = journalFilesFolder(m_path);
    makePrivateFolder(folder);
    return folder;
}

/// Steps in a file named by their content, written before the record that names them.
std::string Journal::keepSteps(const std::string& steps) {
    const std::string name = sha256(steps), path = filesFolder() + "/" + name;
    if (std::error_code ignored; fs::exists(path, ignored)) return name;
    replaceText(path, steps);
    isThere(path);
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
    if (!isConstant || ::link(file.c_str(), kept.c_str()) != 0) m_copies.push_back({file, kept});
    else m_held.hold(kept);
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
        if (m_baseCopies.empty() && !m_path.empty()) holdBase();
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
        const auto [from, to, held] = m_copies.front();
        m_copies.erase(m_copies.begin());
        lock.unlock();
        std::optional<Error> failed;
        try {
            std::error_code ignored;
            if (copyFile(from, to + ".new", stop)) fs::rename(to + ".new", to, ignored);
        } catch (const Error& error) { failed = error; }
        lock.lock();
        if (failed) m_notCopied = failed;
        else if (!m_path.empty()) m_held.hold(to);
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
        const std::stop_token removed = m_removed.get_token(); // whoever removes the journal waits for this thread
        lock.unlock();
        for (const std::string& file : files)
            if (!removed.stop_requested()) syncAt(file, 0);
        if (isNew && !removed.stop_requested()) syncAt(m_folder, O_DIRECTORY);
        if (!removed.stop_requested()) ::fdatasync(descriptor);
        lock.lock();
    }
}

} // namespace fx
