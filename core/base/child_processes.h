// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <array>
#include <chrono>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace fx {

/// Child processes that were started and have not been reaped, so that none outlives this process and none is waited
/// for without a limit. Each leads a process group of its own. Thread-safe.

/// Starts a program, which is looked up in PATH, with these descriptors as its standard streams, and watches it.
/// Throws std::system_error when it cannot be started.
pid_t startChild(const std::vector<std::string>& command, const std::array<int, 3>& streams);
/// To be called right after a child was started in another way.
void watchChild(pid_t child);
/// The status of `waitpid` once the child has ended; nothing when it has not within `patience`. A child that has ended
/// is watched no longer.
std::optional<int> reapChild(pid_t child, std::chrono::milliseconds patience);
/// Kills a watched child and its group, and reaps it. A process that the system cannot end, such as one that hangs in a
/// file system, is left to be reaped by a later call. The status, when it ended.
std::optional<int> killChild(pid_t child);
/// Kills all watched children and those that are watched from now on. For a process that is about to exit.
void killChildren();

} // namespace fx
