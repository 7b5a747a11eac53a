// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"

#include <string>

namespace app {

/// Standard input as a file that can be read at any place: a pipe is copied to a temporary file that vanishes with this
/// object. `path()` is valid as long as the object lives; files opened from it stay readable.
class StandardInput {
public:
    /// Throws fx::Error; Cancelled when a stop is requested while it waits.
    explicit StandardInput(const fx::Progress& progress);
    ~StandardInput();
    StandardInput(const StandardInput&) = delete;
    StandardInput& operator=(const StandardInput&) = delete;

    const std::string& path() const { return m_path; }

private:
    int m_descriptor = -1;
    std::string m_path;
};

} // namespace app
