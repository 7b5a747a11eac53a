// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <chrono>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace fx {

/// Returns the path of a program that is installed beside this one; its name, to be looked up in PATH, if it is not.
std::string programBeside(const char* name);

/// Child processes that were started and not yet reaped. The registry makes sure that no child outlives this process
/// and that no wait is unbounded. Each child leads a separate process group. All functions are thread-safe.

/// Starts and watches a program, looked up in PATH. The child inherits exactly `descriptors`, as descriptors 0, 1, 2,
/// …; all others are closed. Throws std::system_error if the program cannot be started.
pid_t startChild(const std::vector<std::string>& command, const std::vector<int>& descriptors);
/// Watches a child that was started by other means. Call it right after the start.
void watchChild(pid_t child);
/// Waits up to `patience` for the child to end. Returns its `waitpid` status and stops watching it, or nothing if it is
/// still running.
std::optional<int> reapChild(pid_t child, std::chrono::milliseconds patience);
/// Kills a watched child and its process group, and reaps it. Returns its status if it ended. A process that the kernel
/// cannot end yet, such as one blocked in a file system, is left for a later call.
std::optional<int> killChild(pid_t child);
/// Kills all watched children, and every child that is watched from now on. Call it only when the process is about to
/// exit.
void killChildren();

} // namespace fx
