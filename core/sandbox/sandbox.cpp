// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sandbox/sandbox.h"

#include "core/sandbox/landlock.h"
#include "core/sandbox/system_calls.h"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace fx {
namespace {

constexpr off_t kMostLog = 1 << 20; ///< that a log at standard error still grows

bool isOff() {
    const char* setting = std::getenv("LANCET_SANDBOX");
    return setting && std::strcmp(setting, "off") == 0;
}

/// Threads of this process: each is a link to the folder that lists them.
std::size_t threadCount() {
    struct stat status {};
    return ::stat("/proc/self/task", &status) == 0 ? static_cast<std::size_t>(status.st_nlink) - 2 : 1;
}

/// A terminal could be read: it is opened again. A log could be written over: it is appended to from now on, also by
/// those who share it, since each would overwrite the others otherwise. Returns how far files may grow for its sake.
off_t appendOnly(int stream) {
    struct stat status {};
    if (::fstat(stream, &status) != 0) return 0;
    if (S_ISCHR(status.st_mode)) {
        const std::string name = "/proc/self/fd/" + std::to_string(stream);
        int again = ::open(name.c_str(), O_WRONLY | O_NOCTTY | O_CLOEXEC);
        if (again < 0) again = ::open("/dev/null", O_WRONLY | O_CLOEXEC); // a terminal of another user
        if (again >= 0) ::dup2(again, stream), ::close(again);
    }
    if (!S_ISREG(status.st_mode)) return 0;
    ::fcntl(stream, F_SETFL, ::fcntl(stream, F_GETFL) | O_APPEND);
    return status.st_size + kMostLog;
}

void limit(int resource, rlim_t most) {
    rlimit both{};
    if (::getrlimit(resource, &both) != 0) return;
    both = {std::min(most, both.rlim_max), std::min(most, both.rlim_max)};
    ::setrlimit(resource, &both);
}

/// Root stays able to read files of others, and nothing else.
void dropCapabilities() {
    __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
    __user_cap_data_struct sets[2]{};
    if (::syscall(SYS_capget, &header, sets) != 0) return;
    for (std::uint32_t set = 0; set < 2; ++set) {
        const std::uint32_t kept = set == 0 ? 1U << CAP_DAC_READ_SEARCH : 0;
        sets[set].effective &= kept;
        sets[set].permitted &= kept;
        sets[set].inheritable = 0;
    }
    ::syscall(SYS_capset, &header, sets);
}

} // namespace

SandboxState sandboxSupport() {
    if (isOff()) return {};
    return {landlockVersion(), canFilterSystemCalls()};
}

SandboxState enterSandbox(const SandboxRights& rights) {
    if (isOff()) {
        std::fputs("LANCET_SANDBOX=off: a model can write files and start programs; for tests only\n", stderr);
        return {};
    }
    SandboxState state = sandboxSupport();
    const off_t log = std::max(appendOnly(STDOUT_FILENO), appendOnly(STDERR_FILENO));
    const auto largest = std::max(static_cast<std::uint64_t>(log), rights.largestFile);
    const std::size_t threads = threadCount();
    ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); // no core, and no tracing by other processes of the user
    limit(RLIMIT_CORE, 0);
    ::signal(SIGXFSZ, SIG_IGN); // writing beyond the limit is an error, not the end
    limit(RLIMIT_FSIZE, largest);
    if (state.landlock > 0 && !(restrictFiles(rights.readable, rights.executable) && threads == 1)) state.landlock = 0;
    dropCapabilities();
    state.seccomp = state.seccomp && filterSystemCalls(!rights.executable.empty());
    return state;
}

} // namespace fx
