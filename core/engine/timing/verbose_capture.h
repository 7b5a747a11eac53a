// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/timing/verbose_log.h"

namespace fx::engine {

/// Captures what oneDNN and MKL print about each call during its lifetime. Both print to standard output, which is
/// redirected to a file in memory; verbosity and standard output are restored afterwards. Use one at a time, and not
/// while timing.
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

/// Version and ISA of oneDNN, as reported by its verbose mode; cached.
const timing::VerboseLog& oneDnnDescription();

} // namespace fx::engine
