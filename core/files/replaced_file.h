// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fx {

/// A file that is written beside its target and replaces it atomically in `commit`, so that the target is always
/// complete. Without `commit`, the target stays unchanged.
///
/// A symbolic link stays a link, also one to a file that does not exist yet. `/dev/null` and open files of this process
/// (`/dev/stdout`) are written directly; other pipes, devices and sockets are refused. The mode of an
/// existing target is kept, and one without permission to write is refused. Where the file system can, the new file has
/// no name before `commit`, so that a process that is killed leaves nothing behind. Every failure (disk full, no
/// permission, a target that was replaced in the meantime) is an Error{Refused} with the target and a hint; the target
/// is then unchanged and no temporary file remains.
class ReplacedFile {
public:
    explicit ReplacedFile(const std::string& target);
    ~ReplacedFile();
    ReplacedFile(const ReplacedFile&) = delete;
    ReplacedFile& operator=(const ReplacedFile&) = delete;

    void write(std::string_view bytes);
    /// Writes through to the disk and moves the file to its place. A target that has gone meanwhile is made again.
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
    bool m_direct = false;              ///< the target is not a regular file and is written directly
    std::optional<Identity> m_replaced; ///< the file that will be replaced
    int m_descriptor = -1;
};

/// Keeps the current file at a path in case its replacement turns out to be wrong:
///
///     KeptFile before(path);
///     write(path);
///     compare(path);  // throws
///     before.forget();
///
/// Without `forget`, the destructor restores the file, or removes the new one if there was none; only what a
/// ReplacedFile of this process put there, never what another program wrote meanwhile. On file systems without hard
/// links, for folders (see `writeFolder`) and devices it does nothing. What a killed process kept is removed with the
/// next write to the path.
class KeptFile {
public:
    explicit KeptFile(const std::string& path);
    ~KeptFile();
    KeptFile(const KeptFile&) = delete;
    KeptFile& operator=(const KeptFile&) = delete;

    void forget();

private:
    std::string m_path;   ///< links resolved; empty if there is nothing to do
    std::string m_backup; ///< empty if there was no file
};

} // namespace fx
