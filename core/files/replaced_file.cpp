// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/files/replaced_file.h"

#include "core/diag/error.h"
#include "core/files/file_identity.h"
#include "core/files/leftovers.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <set>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include <utility>

namespace fx {
namespace {

/// The failure of the system to write the file, by what can be done about it.
Message failureText(const std::string& file, int failure) {
    const MessageArgument name("file", file), detail("detail", std::strerror(failure));
    switch (failure) {
    case ENOSPC:
    case EDQUOT: return Message("files.disk_full", {name, detail});
    case EFBIG: return Message("files.size_limit", {name, detail});
    case EACCES:
    case EPERM: return Message("files.no_permission", {name, detail});
    case EROFS: return Message("files.read_only_disk", {name, detail});
    case ENOENT:
    case ENOTDIR: return Message("files.no_folder", {name, detail});
    case EISDIR: return Message("files.folder_as_file", {name, detail});
    case EIO: return Message("files.disk_failed", {name, detail});
    default: return Message("files.cannot_write", {name, detail});
    }
}

/// Whether it is an open file of this process: /dev/stdout, or the pipe of a shell's `>(command)`.
bool isOpenHere(const struct stat& status) {
    std::error_code failed;
    for (std::filesystem::directory_iterator entry("/proc/self/fd", failed), end; !failed && entry != end;
         entry.increment(failed)) {
        struct stat open;
        if (::stat(entry->path().c_str(), &open) == 0 && open.st_dev == status.st_dev && open.st_ino == status.st_ino)
            return true;
    }
    return false;
}

/// Whether what is no regular file takes any data: other pipes may wait for ever for a reader, and disks are lost.
bool takesData(const struct stat& status) {
    constexpr unsigned kMemoryDevices = 1, kNull = 3, kZero = 5, kFull = 7;
    const unsigned device = minor(status.st_rdev);
    const bool isSink = S_ISCHR(status.st_mode) && major(status.st_rdev) == kMemoryDevices &&
                        (device == kNull || device == kZero || device == kFull);
    return isSink || isOpenHere(status);
}

/// Makes the new name of a file last; file systems that cannot do it are left alone.
void syncFolderOf(const std::string& path) {
    const std::string folder = std::filesystem::path(path).parent_path().string();
    const int descriptor = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0) return;
    ::fsync(descriptor);
    ::close(descriptor);
}

/// A file without a name in the folder of `target`; -1 if the system does not support this.
int openUnnamed(const std::string& target) {
    if (::access("/proc/self/fd", X_OK) != 0) return -1; // it could never get a name
    const std::string folder = std::filesystem::path(target).parent_path().string();
    return ::open(folder.empty() ? "." : folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
}

/// The files that were put to the paths of which a KeptFile keeps the former one. Thread-safe.
class Commits {
public:
    using File = std::pair<dev_t, ino_t>;
    static Commits& all() {
        static Commits commits;
        return commits;
    }
    void watch(const std::string& path) {
        const std::lock_guard lock(m_mutex);
        ++m_watched[path].keepers;
    }
    void unwatch(const std::string& path) {
        const std::lock_guard lock(m_mutex);
        const auto at = m_watched.find(path);
        if (at != m_watched.end() && --at->second.keepers == 0) m_watched.erase(at);
    }
    void put(const std::string& path, int descriptor) {
        struct stat status;
        const std::lock_guard lock(m_mutex);
        const auto at = m_watched.find(path);
        if (at != m_watched.end() && ::fstat(descriptor, &status) == 0)
            at->second.last = {status.st_dev, status.st_ino};
    }
    /// Whether what is at the path now was put there last.
    bool isAt(const std::string& path) {
        struct stat status;
        const std::lock_guard lock(m_mutex);
        const auto at = m_watched.find(path);
        return at != m_watched.end() && at->second.last && ::stat(path.c_str(), &status) == 0 &&
               *at->second.last == File(status.st_dev, status.st_ino);
    }

private:
    struct Watched {
        int keepers = 0;
        std::optional<File> last = {};
    };
    std::mutex m_mutex;
    std::map<std::string, Watched> m_watched;
};

/// Removes what killed processes left in a folder: once for each folder, which may get thousands of files.
void sweepOnce(const std::string& folder) {
    static std::mutex mutex;
    static std::set<std::string> swept;
    {
        const std::lock_guard lock(mutex);
        if (!swept.insert(folder).second) return;
    }
    removeLeftovers(folder);
}

} // namespace

Error cannotWrite(const std::string& file, int failure) {
    return Error(ErrorKind::Refused, failureText(file, failure)).in(file);
}

/// Asked of /proc: `umask` can only tell the mask by changing it, for all threads.
unsigned modeForNew(unsigned mode) {
    std::ifstream status("/proc/self/status");
    constexpr std::string_view kUmask = "Umask:";
    for (std::string line; std::getline(status, line);)
        if (line.starts_with(kUmask))
            return mode & ~static_cast<unsigned>(std::strtoul(line.c_str() + kUmask.size(), nullptr, 8));
    constexpr unsigned kOthers = 077;
    return mode & ~kOthers;
}

void ReplacedFile::fail() const { throw cannotWrite(m_target, errno); }

std::optional<ReplacedFile::Identity> ReplacedFile::identityOf(const std::string& path) {
    struct stat status;
    if (::stat(path.c_str(), &status) != 0) return std::nullopt;
    return Identity{status.st_dev, status.st_ino, static_cast<std::uint64_t>(status.st_size), status.st_mtim.tv_sec,
                    status.st_mtim.tv_nsec};
}

ReplacedFile::ReplacedFile(const std::string& target) : m_target(target) {
    [[maybe_unused]] static const auto before =
        ::signal(SIGXFSZ, SIG_IGN); // a file that may not grow is an error like others
    struct stat status;
    const bool exists = ::stat(target.c_str(), &status) == 0;
    if ((exists && S_ISDIR(status.st_mode)) || target.ends_with('/')) {
        errno = EISDIR;
        fail();
    }
    if (exists && !S_ISREG(status.st_mode)) {
        if (!takesData(status))
            throw Error(ErrorKind::Refused, Message("files.not_a_file", {{"file", target}})).in(target);
        m_descriptor = ::open(m_target.c_str(), O_WRONLY | O_CLOEXEC);
        if (m_descriptor < 0) fail();
        m_direct = true;
        return;
    }
    const std::string resolved = resolvedPath(target);
    if (resolved.empty()) fail();
    m_target = resolved, m_replaced = identityOf(m_target);
    // It could be replaced, but whoever has taken the permission away wants it to stay.
    if (exists && ::access(m_target.c_str(), W_OK) != 0) fail();
    sweepOnce(std::filesystem::path(m_target).parent_path().string());
    m_descriptor = openUnnamed(m_target);
    if (m_descriptor < 0) {
        m_temporary = nameBeside(m_target, ".lancet-") + processMark() + "-XXXXXX";
        m_descriptor = ::mkostemp(m_temporary.data(), O_CLOEXEC);
    }
    if (m_descriptor < 0) {
        m_temporary.clear();
        fail();
    }
    ::fchmod(m_descriptor, exists ? status.st_mode & 0777 : modeForNew(0666));
}

ReplacedFile::~ReplacedFile() {
    if (m_descriptor < 0) return;
    ::close(m_descriptor);
    if (!m_temporary.empty()) ::unlink(m_temporary.c_str());
}

void ReplacedFile::write(std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t written = ::write(m_descriptor, bytes.data(), bytes.size());
        if (written < 0 && errno != EINTR) fail();
        if (written > 0) bytes.remove_prefix(static_cast<std::size_t>(written));
    }
}

/// Links cannot replace a file: it gets a name of its own first.
void ReplacedFile::giveName() {
    constexpr int kTries = 100;
    const std::string unnamed = "/proc/self/fd/" + std::to_string(m_descriptor);
    for (int i = 0; i < kTries; ++i) {
        const std::string name = nameBeside(m_target, ".lancet-") + processMark() + "-" + std::to_string(i);
        if (::linkat(AT_FDCWD, unnamed.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0) {
            m_temporary = name;
            return;
        }
        if (errno != EEXIST) break;
    }
    fail();
}

void ReplacedFile::prepare() {
    if (m_direct || m_prepared) return;
    if (::fsync(m_descriptor) != 0) fail();
    if (m_temporary.empty()) giveName();
    m_prepared = true;
}

void ReplacedFile::commit() {
    if (m_direct) return;
    prepare();
    if (const auto now = identityOf(m_target); now && now != m_replaced)
        throw Error(ErrorKind::Refused, Message("files.changed_while_written", {{"file", m_target}})).in(m_target);
    if (::rename(m_temporary.c_str(), m_target.c_str()) != 0) fail();
    Commits::all().put(m_target, m_descriptor);
    ::close(m_descriptor);
    m_descriptor = -1;
    syncFolderOf(m_target);
}

KeptFile::KeptFile(const std::string& path) : m_path(path.ends_with('/') ? std::string() : resolvedPath(path)) {
    struct stat status;
    if (m_path.empty()) return;
    if (::lstat(m_path.c_str(), &status) != 0) {
        if (errno != ENOENT) m_path.clear();
        if (!m_path.empty()) Commits::all().watch(m_path);
        return;
    }
    removeLeftovers(std::filesystem::path(m_path).parent_path());
    const std::string backup = nameBeside(m_path, kBackup) + processMark();
    if (S_ISREG(status.st_mode) && ::link(m_path.c_str(), backup.c_str()) == 0) m_backup = backup;
    else m_path.clear();
    if (!m_path.empty()) Commits::all().watch(m_path);
}

KeptFile::~KeptFile() {
    if (m_path.empty()) return;
    // Else nothing was replaced, or another program has written the file since.
    if (Commits::all().isAt(m_path)) {
        if (m_backup.empty()) ::unlink(m_path.c_str());
        else ::rename(m_backup.c_str(), m_path.c_str());
    }
    forget();
}

void KeptFile::forget() {
    if (m_path.empty()) return;
    Commits::all().unwatch(m_path);
    if (!m_backup.empty()) ::unlink(m_backup.c_str()); // also one that was the same file all the time
    m_path.clear(), m_backup.clear();
}

} // namespace fx
