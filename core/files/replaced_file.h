// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fx {

/// A file that is written beside its target and takes its place in one step, so that the target is always whole: the
/// old one until `commit`, the new one after it. Destroyed without `commit`, it leaves the target as it was.
///
/// A target that is a symbolic link stays one; a device or pipe (`/dev/stdout`) is written directly. The mode of an
/// existing target is kept. Every failure (no room, no permission, a target that somebody else has replaced meanwhile)
/// is an Error{Refused} that names the target and what to do about it; the target is then what it was, and nothing
/// stays beside it.
class ReplacedFile {
public:
    explicit ReplacedFile(const std::string& target);
    ~ReplacedFile();
    ReplacedFile(const ReplacedFile&) = delete;
    ReplacedFile& operator=(const ReplacedFile&) = delete;

    void write(std::string_view bytes);
    /// The file being written, for writers that open it themselves.
    const std::string& temporaryPath() const { return m_temporary.empty() ? m_target : m_temporary; }
    /// Writes through to the disk and moves the file to its place. A target that has gone meanwhile is made again.
    void commit();

private:
    /// Which file it was, and in what state.
    struct Identity {
        std::uint64_t device = 0, inode = 0, size = 0;
        std::int64_t seconds = 0, nanos = 0;
        bool operator==(const Identity&) const = default;
    };
    static std::optional<Identity> identityOf(const std::string& path);
    [[noreturn]] void fail() const;

    std::string m_target;               ///< links followed
    std::string m_temporary;            ///< empty: the target is no regular file and written directly
    std::optional<Identity> m_replaced; ///< the file that will be replaced
    int m_descriptor = -1;
};

/// The file at a path as it is now, for the case that what takes its place proves wrong:
///
///     KeptFile before(path);
///     write(path);
///     compare(path);  // throws
///     before.forget();
///
/// Destroyed without `forget`, it puts the file back; a new one goes when there was none. On file systems without hard
/// links, for folders (see `writeFolder`) and devices it does nothing.
class KeptFile {
public:
    explicit KeptFile(const std::string& path);
    ~KeptFile();
    KeptFile(const KeptFile&) = delete;
    KeptFile& operator=(const KeptFile&) = delete;

    void forget();

private:
    std::string m_path;   ///< links followed; empty: nothing to do
    std::string m_backup; ///< empty: there was none
};

} // namespace fx
