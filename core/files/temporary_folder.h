// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>

namespace fx {

/// Returns the folder for temporary files: TMPDIR, or /tmp.
std::string temporaryPlace();

/// A new folder that only this user can enter, removed with its contents on destruction. A later process removes
/// leftovers of a killed one (`removeLeftovers`).
class TemporaryFolder {
public:
    /// Creates a folder in `temporaryPlace()`. Throws Error{Refused} with the system's reason and a remedy.
    TemporaryFolder();
    /// Creates a folder beside a target that it may replace by renaming: `net.lancet-MARK-x7Tq0a` for `net`. Throws
    /// likewise.
    explicit TemporaryFolder(const std::string& target);
    ~TemporaryFolder();
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    /// The path of the folder; empty after `release`.
    const std::string& path() const { return m_path; }
    /// Gives up ownership: the folder is not removed.
    void release() { m_path.clear(); }

private:
    void make(const std::string& start, const std::string& wanted);

    std::string m_path;
};

} // namespace fx
