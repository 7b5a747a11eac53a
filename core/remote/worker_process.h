// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <chrono>
#include <string>
#include <sys/types.h>
#include <vector>

namespace fx::remote {

/// A child process in a separate process group, with pipes to its standard input and from its standard output. The
/// destructor kills the group.
class WorkerProcess {
public:
    /// `local` also gives it the other end of `channel`. Throws Error{Run} if the program cannot be started.
    WorkerProcess(const std::vector<std::string>& command, bool local);
    ~WorkerProcess();
    WorkerProcess(const WorkerProcess&) = delete;
    WorkerProcess& operator=(const WorkerProcess&) = delete;

    pid_t id() const { return m_id; }
    int input() const { return m_input; }   ///< for writing; does not block
    int output() const { return m_output; } ///< for reading
    /// Accepts `sendDescriptors` to a local worker; otherwise -1.
    int channel() const { return m_channel; }
    /// Sends a signal to the process.
    void signal(int number) const;
    /// Returns true while the process runs.
    bool alive() const;
    /// Waits at most `patience` for its end, then kills it (`killChild`). Describes how it ended: "ended with code 3",
    /// "was killed (Killed)".
    std::string finish(std::chrono::milliseconds patience);
    /// The signal that ended the process, or 0. Valid after `finish`.
    int endedBySignal() const { return m_signal; }

private:
    pid_t m_id = -1;
    int m_input = -1, m_output = -1, m_channel = -1, m_signal = 0;
};

} // namespace fx::remote
