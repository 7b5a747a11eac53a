// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/timing/verbose_log.h"

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace fx::engine {

/// Captures the lines that oneDNN and MKL print about each call during its lifetime. Both print to standard output,
/// which is redirected to a pipe that a thread reads; verbosity and standard output are restored afterwards. Use one
/// at a time, and not while timing.
class VerboseCapture {
public:
    VerboseCapture();
    ~VerboseCapture();
    VerboseCapture(const VerboseCapture&) = delete;
    VerboseCapture& operator=(const VerboseCapture&) = delete;

    /// Returns the output since the last call.
    timing::VerboseLog take();

private:
    void read();

    int m_pipe = -1, m_output = -1;
    std::mutex m_mutex;
    std::condition_variable m_marked;
    std::string m_text;      ///< output since the last `take`
    std::size_t m_marks = 0; ///< number of end marks of earlier calls of `take` read so far
    std::thread m_reader;
};

/// Returns the version and ISA of oneDNN, as reported by its verbose mode; cached.
const timing::VerboseLog& oneDnnDescription();

} // namespace fx::engine
