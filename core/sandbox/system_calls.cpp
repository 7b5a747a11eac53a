// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sandbox/system_calls.h"

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <fcntl.h>
#include <initializer_list>
#include <linux/sched.h>
#include <memory>
#include <seccomp.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace fx {
namespace {

/// Calls that are harmless with any arguments, since what they work on was opened before or can only be read.
constexpr int kAllowed[] = {
    // what is open
    SCMP_SYS(read), SCMP_SYS(pread64), SCMP_SYS(readv), SCMP_SYS(preadv), SCMP_SYS(preadv2), SCMP_SYS(write),
    SCMP_SYS(writev), SCMP_SYS(lseek), SCMP_SYS(close), SCMP_SYS(close_range), SCMP_SYS(dup), SCMP_SYS(dup2),
    SCMP_SYS(dup3), SCMP_SYS(pipe), SCMP_SYS(pipe2), SCMP_SYS(poll), SCMP_SYS(ppoll), SCMP_SYS(select),
    SCMP_SYS(pselect6), SCMP_SYS(eventfd2), SCMP_SYS(fadvise64), SCMP_SYS(readahead), SCMP_SYS(fsync),
    SCMP_SYS(recvmsg), // descriptors that the client hands over
    // names, sizes and times of files
    SCMP_SYS(stat), SCMP_SYS(fstat), SCMP_SYS(lstat), SCMP_SYS(newfstatat), SCMP_SYS(statx), SCMP_SYS(statfs),
    SCMP_SYS(fstatfs), SCMP_SYS(access), SCMP_SYS(faccessat), SCMP_SYS(faccessat2), SCMP_SYS(readlink),
    SCMP_SYS(readlinkat), SCMP_SYS(getcwd), SCMP_SYS(getdents64),
    // memory of this process; executable, too: oneDNN and FBGEMM write their kernels
    SCMP_SYS(munmap), SCMP_SYS(mprotect), SCMP_SYS(mremap), SCMP_SYS(madvise), SCMP_SYS(brk), SCMP_SYS(mincore),
    SCMP_SYS(msync), SCMP_SYS(mlock), SCMP_SYS(munlock), SCMP_SYS(membarrier), SCMP_SYS(mbind), SCMP_SYS(get_mempolicy),
    SCMP_SYS(set_mempolicy),
    // threads of this process, and time
    SCMP_SYS(futex), SCMP_SYS(set_robust_list), SCMP_SYS(rseq), SCMP_SYS(set_tid_address), SCMP_SYS(gettid),
    SCMP_SYS(sched_yield), SCMP_SYS(sched_getaffinity), SCMP_SYS(sched_getparam), SCMP_SYS(sched_getscheduler),
    SCMP_SYS(sched_get_priority_max), SCMP_SYS(sched_get_priority_min), SCMP_SYS(getcpu), SCMP_SYS(exit),
    SCMP_SYS(exit_group), SCMP_SYS(clock_gettime), SCMP_SYS(clock_getres), SCMP_SYS(clock_nanosleep),
    SCMP_SYS(nanosleep), SCMP_SYS(gettimeofday), SCMP_SYS(time), SCMP_SYS(times), SCMP_SYS(getrusage),
    SCMP_SYS(getrlimit), SCMP_SYS(getpriority), SCMP_SYS(restart_syscall),
    // signals that come
    SCMP_SYS(rt_sigaction), SCMP_SYS(rt_sigprocmask), SCMP_SYS(rt_sigreturn), SCMP_SYS(rt_sigtimedwait),
    SCMP_SYS(rt_sigpending), SCMP_SYS(rt_sigsuspend), SCMP_SYS(sigaltstack), SCMP_SYS(pause),
    // who and where
    SCMP_SYS(getpid), SCMP_SYS(getppid), SCMP_SYS(getuid), SCMP_SYS(geteuid), SCMP_SYS(getgid), SCMP_SYS(getegid),
    SCMP_SYS(uname), SCMP_SYS(sysinfo), SCMP_SYS(getrandom)};

/// What a program needs to start, which Landlock has to allow.
constexpr int kForPrograms[] = {SCMP_SYS(execve), SCMP_SYS(arch_prctl)};

/// The flags that decide if RLIMIT_DATA counts a mapping, and their allowed values: neither shared memory without a
/// file nor growing stacks, which it does not count.
constexpr std::uint64_t kMappings = MAP_SHARED | MAP_ANONYMOUS | MAP_GROWSDOWN;
constexpr std::uint64_t kCountedMappings[] = {0, MAP_SHARED, MAP_ANONYMOUS};

/// The C library asks for these first and then does without.
constexpr int kUnknown[] = {SCMP_SYS(clone3), SCMP_SYS(openat2), SCMP_SYS(futex_waitv)};

constexpr std::uint64_t kMayNotOpen = O_ACCMODE | O_CREAT | O_TRUNC | O_PATH | (O_TMPFILE & ~O_DIRECTORY);
constexpr std::uint64_t kNewNamespaces = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER |
                                         CLONE_NEWPID | CLONE_NEWNET | CLONE_PTRACE;
// <asm/prctl.h> of Debian 12 has them only for guests.
constexpr std::uint64_t kGetSupportedStates = 0x1021, kGetPermittedStates = 0x1022, kRequestState = 0x1023;

class Filter {
public:
    Filter() : m_context(seccomp_init(SCMP_ACT_ERRNO(EPERM)), seccomp_release) {
        if (!m_context) return;
        set(SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);
        set(SCMP_FLTATR_CTL_TSYNC, 1);
        // Kernels before 5.16 slow down processes with a filter, against reading their own memory by speculation.
        seccomp_attr_set(m_context.get(), SCMP_FLTATR_CTL_SSB, 1);
    }

    /// A call with conditions on its arguments, all of which must hold.
    Filter& allow(int call, std::initializer_list<scmp_arg_cmp> conditions = {}) {
        return add(SCMP_ACT_ALLOW, call, conditions);
    }
    /// A call whose argument is one of these; only its lower half counts, as for the kernel.
    Filter& allowOne(int call, unsigned argument, std::initializer_list<std::uint64_t> values) {
        for (const std::uint64_t value : values)
            allow(call, {scmp_arg_cmp{argument, SCMP_CMP_MASKED_EQ, 0xFFFFFFFF, value}});
        return *this;
    }
    Filter& isUnknown(int call) { return add(SCMP_ACT_ERRNO(ENOSYS), call, {}); }
    bool load() { return m_context && m_isWhole && seccomp_load(m_context.get()) == 0; }

private:
    /// A call that this architecture lacks is no mistake.
    Filter& add(std::uint32_t action, int call, std::initializer_list<scmp_arg_cmp> conditions) {
        if (m_context && call >= 0)
            m_isWhole = seccomp_rule_add_array(m_context.get(), action, call, static_cast<unsigned>(conditions.size()),
                                               conditions.begin()) == 0 &&
                        m_isWhole;
        return *this;
    }
    void set(scmp_filter_attr attribute, std::uint32_t value) {
        m_isWhole = seccomp_attr_set(m_context.get(), attribute, value) == 0 && m_isWhole;
    }
    std::unique_ptr<void, void (*)(scmp_filter_ctx)> m_context;
    bool m_isWhole = true;
};

scmp_arg_cmp none(unsigned argument, std::uint64_t bits) { return {argument, SCMP_CMP_MASKED_EQ, bits, 0}; }

/// OpenMP places its threads by their numbers, which nobody knows yet; others do it to other processes as well.
bool placesThreads() {
    for (const char* name : {"OMP_PROC_BIND", "OMP_PLACES", "GOMP_CPU_AFFINITY", "KMP_AFFINITY"})
        if (std::getenv(name)) return true;
    return false;
}

void addNarrowed(Filter& filter) {
    const auto self = static_cast<std::uint64_t>(::getpid());
    filter.allow(SCMP_SYS(open), {none(1, kMayNotOpen)}).allow(SCMP_SYS(openat), {none(2, kMayNotOpen)});
    filter.allow(SCMP_SYS(clone), {{0, SCMP_CMP_MASKED_EQ, CLONE_THREAD | kNewNamespaces, CLONE_THREAD}});
    filter.allowOne(SCMP_SYS(kill), 0, {self}).allowOne(SCMP_SYS(tgkill), 0, {self});
    filter.allowOne(SCMP_SYS(prctl), 0, {PR_SET_NAME, PR_GET_NAME, PR_GET_DUMPABLE, 0x53564d41 /* PR_SET_VMA */});
    filter.allowOne(SCMP_SYS(ioctl), 1, {TCGETS}); // isatty
    filter.allowOne(SCMP_SYS(fcntl), 1, {F_GETFL, F_GETFD, F_SETFD, F_DUPFD_CLOEXEC});
    // Limits are asked for; raised only by root, who could undo ours.
    filter.allow(SCMP_SYS(prlimit64), {{0, SCMP_CMP_MASKED_EQ, 0xFFFFFFFF, 0}, {2, SCMP_CMP_EQ, 0, 0}});
    if (placesThreads()) filter.allow(SCMP_SYS(sched_setaffinity));
    else filter.allowOne(SCMP_SYS(sched_setaffinity), 0, {0});
#ifdef __x86_64__
    // oneDNN asks for the registers of AMX.
    filter.allowOne(SCMP_SYS(arch_prctl), 0, {kGetSupportedStates, kGetPermittedStates, kRequestState});
#endif
}

} // namespace

bool canFilterSystemCalls() {
    std::uint32_t action = SECCOMP_RET_KILL_PROCESS;
    return ::syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
}

bool filterSystemCalls(bool startsPrograms) {
    Filter filter;
    for (const int call : kAllowed) filter.allow(call);
    for (const int call : kUnknown) filter.isUnknown(call);
    addNarrowed(filter);
    if (startsPrograms) {
        for (const int call : kForPrograms) filter.allow(call);
        for (const std::uint64_t kind : kCountedMappings)
            filter.allow(SCMP_SYS(mmap), {{3, SCMP_CMP_MASKED_EQ, kMappings, kind}});
    } else {
        filter.allow(SCMP_SYS(mmap));
    }
    return filter.load();
}

} // namespace fx
