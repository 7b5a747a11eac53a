// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>
#include <vector>

namespace fx {

/// Returns the Landlock version of the kernel; 0 if none exists.
int landlockVersion();
/// Restricts this thread and the threads that it starts to opening these files, or files below these folders, for
/// reading, and to running the programs `executable`. Also denies TCP, and signals and abstract sockets of processes
/// outside, as far as the Landlock version supports it. Requires PR_SET_NO_NEW_PRIVS. Returns false if the kernel
/// refuses.
bool restrictFiles(const std::vector<std::string>& readable, const std::vector<std::string>& executable);

} // namespace fx
