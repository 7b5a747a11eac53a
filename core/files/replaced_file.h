// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/error.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fx {

/// Returns the Error{Refused} for a file or folder that cannot be written, with the system's reason for `failure` (an
/// errno) and a remedy.
Error cannotWrite(const std::string& file, int failure);

/// Returns `mode` (0666 for new files, 0777 for new folders) with the umask applied.
unsigned modeForNew(unsigned mode);

/// A file that is written beside its target and replaces it atomically in `commit`, so that the target is always
/// complete. Without `commit`, the target stays unchanged.
///
/// A symbolic link stays a link, even if its file does not exist yet. `/dev/null` and open files of this process
/// (`/dev/stdout`) are written directly; other pipes, devices and sockets are refused. The mode of an existing target
/// is kept; a target without write permission is refused. If the file system supports it, the new file has no name
/// before `commit`, so that a killed process leaves nothing behind. Every failure (disk full, no permission, a target
/// that was replaced concurrently) is an Error{Refused} with the target and a hint; the target is then unchanged and no
/// temporary file remains.
class ReplacedFile {
public:
    /// Prepares the new file; throws if the target cannot be replaced.
    explicit ReplacedFile(const std::string& target);
    ~ReplacedFile();
    ReplacedFile(const ReplacedFile&) = delete;
    ReplacedFile& operator=(const ReplacedFile&) = delete;

    /// Appends bytes to the new file.
    void write(std::string_view bytes);
    /// Flushes the file to disk and gives it a name, so that only moving it to the target is left for `commit`.
    void prepare();
    /// Flushes the file to disk, unless `prepare` did, and moves it to the target. A target that was removed meanwhile
    /// is created again.
    void commit();

private:
    /// Identifies a file and its state.
    struct Identity {
        std::uint64_t device = 0, inode = 0, size = 0;
        std::int64_t seconds = 0, nanos = 0;
        bool operator==(const Identity&) const = default;
    };
    static std::optional<Identity> identityOf(const std::string& path);
    [[noreturn]] void fail() const;
    void giveName();

    std::string m_target;               ///< links resolved
    std::string m_temporary;            ///< the name of the new file, or empty
    bool m_prepared = false;            ///< the file is on disk and has a name
    bool m_direct = false;              ///< the target is not a regular file, so it is written directly
    std::optional<Identity> m_replaced; ///< the file to be replaced
    int m_descriptor = -1;
};

/// In the names of backups, before the mark of the process that made them.
inline constexpr std::string_view kBackup = ".before-";

/// Keeps the current file at a path as a backup until its replacement is verified:
///
///     KeptFile before(path);
///     write(path);
///     compare(path);  // throws
///     before.forget();
///
/// Without `forget`, the destructor restores the file, or removes the new file if there was none before. It touches
/// only what a ReplacedFile of this process wrote, never a file of another program. It does nothing on file systems
/// without hard links, for folders (see `writeFolder`) and for devices. The next write to the path removes the backup
/// of a killed process.
class KeptFile {
public:
    /// Keeps the file now at `path`, as a hard link beside it.
    explicit KeptFile(const std::string& path);
    ~KeptFile();
    KeptFile(const KeptFile&) = delete;
    KeptFile& operator=(const KeptFile&) = delete;

    /// Accepts the replacement and removes the backup.
    void forget();

private:
    std::string m_path;   ///< links resolved; empty if there is nothing to restore
    std::string m_backup; ///< empty if there was no file
};

} // namespace fx
