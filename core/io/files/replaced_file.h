// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>
#include <string_view>

namespace fx {

/// A file that is written beside its target and takes its place in one step, so that the target is always whole: the old
/// one until `commit`, the new one after it. Destroyed without `commit`, it leaves the target as it was.
///
/// A target that is a symbolic link stays one; a device or pipe (`/dev/stdout`) is written directly. The mode of an
/// existing target is kept. Every failure is an Error{Refused} that names the target.
class ReplacedFile {
public:
    explicit ReplacedFile(const std::string& target);
    ~ReplacedFile();
    ReplacedFile(const ReplacedFile&) = delete;
    ReplacedFile& operator=(const ReplacedFile&) = delete;

    void write(std::string_view bytes);
    /// The file being written, for writers that open it themselves.
    const std::string& temporaryPath() const { return m_temporary.empty() ? m_target : m_temporary; }
    /// Writes through to the disk and moves the file to its place.
    void commit();

private:
    [[noreturn]] void fail(std::string_view what) const;

    std::string m_target;    ///< links followed
    std::string m_temporary; ///< empty: the target is no regular file and written directly
    int m_descriptor = -1;
};

} // namespace fx
