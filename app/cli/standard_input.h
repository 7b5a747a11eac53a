// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"

#include <string>

namespace app {

/// Standard input as a seekable file: a pipe is copied to a temporary file that is removed with the object. `path()` is
/// valid while the object lives; files opened from it stay readable.
class StandardInput {
public:
    /// Uses at most half of the free space for temporary files. Throws fx::Error; Cancelled if a stop is requested
    /// while it waits.
    explicit StandardInput(const fx::Progress& progress);
    ~StandardInput();
    StandardInput(const StandardInput&) = delete;
    StandardInput& operator=(const StandardInput&) = delete;

    const std::string& path() const { return m_path; } ///< The path of the file.

private:
    void copy(const fx::Progress& progress) const;
    void remove();

    int m_descriptor = -1;
    std::string m_path;
};

} // namespace app
