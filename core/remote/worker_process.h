// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <chrono>
#include <string>
#include <sys/types.h>
#include <vector>

namespace fx::remote {

/// A child process in a group of its own, with pipes to its standard input and from its standard output. The group is
/// killed on destruction.
class WorkerProcess {
public:
    /// Throws Error{Run} if the program cannot be started.
    explicit WorkerProcess(const std::vector<std::string>& command);
    ~WorkerProcess();
    WorkerProcess(const WorkerProcess&) = delete;
    WorkerProcess& operator=(const WorkerProcess&) = delete;

    pid_t id() const { return m_id; }
    int input() const { return m_input; }   ///< to write to
    int output() const { return m_output; } ///< to read from
    void signal(int number) const;
    /// Whether it is running.
    bool alive() const;
    /// Waits for it to end for at most `patience`, then kills it. Returns how it ended, in words: "ended with code 3",
    /// "was killed (Killed)".
    std::string finish(std::chrono::milliseconds patience);
    /// The signal that ended it, or 0; valid after `finish`.
    int endedBySignal() const { return m_signal; }

private:
    pid_t m_id = -1;
    int m_input = -1, m_output = -1, m_signal = 0;
};

} // namespace fx::remote
