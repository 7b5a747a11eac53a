// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace fx {

/// Returns true if the kernel can filter system calls.
bool canFilterSystemCalls();
/// Restricts all threads of this process to a list of system calls. Other calls fail with EPERM, or with ENOSYS where
/// the C library then falls back to an older call. A call for another architecture kills the process. Requires
/// PR_SET_NO_NEW_PRIVS. `startsPrograms` allows execve and refuses mappings that RLIMIT_DATA does not count. Returns
/// false if the kernel refuses.
bool filterSystemCalls(bool startsPrograms);

} // namespace fx
