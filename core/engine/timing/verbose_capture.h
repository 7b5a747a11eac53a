// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/timing/verbose_log.h"

namespace fx::engine {

/// What oneDNN and MKL print of each call, for as long as it lives. Standard output goes to a file in memory meanwhile,
/// since that is where both print; verbosity and standard output are put back. One at a time; not while times are
/// taken.
class VerboseCapture {
public:
    VerboseCapture();
    ~VerboseCapture();
    VerboseCapture(const VerboseCapture&) = delete;
    VerboseCapture& operator=(const VerboseCapture&) = delete;

    /// What was printed since the last call.
    timing::VerboseLog take();

private:
    int m_file = -1, m_output = -1;
    std::size_t m_read = 0;
};

/// Version and ISA of oneDNN, as its verbose mode tells them; found once.
const timing::VerboseLog& oneDnnDescription();

} // namespace fx::engine
