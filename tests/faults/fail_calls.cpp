// SPDX-License-Identifier: GPL-3.0-or-later
// A library that is preloaded (LD_PRELOAD) and makes one call of the system fail: the N-th of those that open, change
// or flush something below a folder. run_faults.py describes the variables of the environment.
#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <string>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

namespace {

enum class Kind { None, NoSpace, Failure, Short, Kill };

/// What is asked for; read once, before main().
struct Plan {
    long at = 0;
    Kind kind = Kind::None;
    std::string folder, log;
    Plan() {
        const char *number = std::getenv("LANCET_FAULT_AT"), *what = std::getenv("LANCET_FAULT_KIND");
        const char *below = std::getenv("LANCET_FAULT_BELOW"), *program = std::getenv("LANCET_FAULT_PROGRAM");
        if (!number || !what || !below || !program || std::strcmp(program, program_invocation_short_name) != 0) return;
        at = std::strtol(number, nullptr, 10), folder = std::string(below) + "/";
        if (const char* path = std::getenv("LANCET_FAULT_LOG")) log = path;
        const std::string_view word = what;
        kind = word == "enospc"  ? Kind::NoSpace
               : word == "eio"   ? Kind::Failure
               : word == "short" ? Kind::Short
               : word == "kill"  ? Kind::Kill
                                 : Kind::None;
    }
};
const Plan& plan() {
    static const Plan thePlan;
    return thePlan;
}

std::atomic<long> g_count{0};
thread_local bool t_busy = false;

std::string pathOf(int descriptor) {
    if (plan().kind == Kind::None || t_busy) return {};
    char text[PATH_MAX];
    const std::string link = "/proc/self/fd/" + std::to_string(descriptor);
    const long length = ::syscall(SYS_readlinkat, AT_FDCWD, link.c_str(), text, sizeof text);
    return length > 0 ? std::string(text, static_cast<std::size_t>(length)) : std::string();
}

std::string absolute(int folder, const char* path) {
    if (plan().kind == Kind::None || t_busy) return {};
    if (!path || path[0] == '/') return path ? path : "";
    char text[PATH_MAX];
    if (folder != AT_FDCWD) return pathOf(folder) + "/" + path;
    return ::syscall(SYS_getcwd, text, sizeof text) > 0 ? std::string(text) + "/" + path : std::string();
}

void tell(const char* call, const std::string& path) {
    const std::string line = std::string(call) + " " + path + "\n";
    const int file = static_cast<int>(
        ::syscall(SYS_openat, AT_FDCWD, plan().log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
    if (file < 0) return;
    (void)::syscall(SYS_write, file, line.data(), line.size());
    ::syscall(SYS_close, file);
}

enum class Verdict { Real, Fail, Half };
/// Whether a call needs space on the disk. A disk that is full has none for later calls either; those that only may
/// need some (a new name in a folder) fail once.
enum class Space { Never, Maybe, Always };

/// What becomes of a call; sets errno for one that fails.
Verdict judge(const char* call, const std::string& path, Space needsSpace, bool isWrite) {
    if (plan().kind == Kind::None || t_busy || !path.starts_with(plan().folder)) return Verdict::Real;
    if (plan().kind == Kind::Short && !isWrite) return Verdict::Real;
    if (plan().kind == Kind::NoSpace && needsSpace == Space::Never) return Verdict::Real;
    const long number = ++g_count;
    const bool stays = plan().kind == Kind::NoSpace && number > plan().at && needsSpace == Space::Always;
    if (number != plan().at && !stays) return Verdict::Real;
    t_busy = true;
    if (!stays) tell(call, path);
    t_busy = false;
    if (plan().kind == Kind::Kill) ::syscall(SYS_kill, ::syscall(SYS_getpid), SIGKILL);
    if (plan().kind == Kind::Short) return Verdict::Half;
    errno = plan().kind == Kind::NoSpace ? ENOSPC : EIO;
    return Verdict::Fail;
}

bool fails(const char* call, const std::string& path, Space needsSpace) {
    return judge(call, path, needsSpace, false) == Verdict::Fail;
}

template<class Function> Function real(Function, const char* name) {
    return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}
#define REAL(name)                                                                                                     \
    (*[] {                                                                                                             \
        static const auto kReal = real(&::name, #name);                                                                \
        return &kReal;                                                                                                 \
    }())

bool createsFile(int flags) { return (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE; }

int openFile(int folder, const char* path, int flags, unsigned mode) {
    if (fails("open", absolute(folder, path), createsFile(flags) ? Space::Always : Space::Never)) return -1;
    return static_cast<int>(::syscall(SYS_openat, folder, path, flags, mode));
}

unsigned modeOf(int flags, va_list list) { return createsFile(flags) ? va_arg(list, unsigned) : 0; }

} // namespace

extern "C" {

int open(const char* path, int flags, ...) {
    va_list list;
    va_start(list, flags);
    const unsigned mode = modeOf(flags, list);
    va_end(list);
    return openFile(AT_FDCWD, path, flags, mode);
}
int open64(const char* path, int flags, ...) {
    va_list list;
    va_start(list, flags);
    const unsigned mode = modeOf(flags, list);
    va_end(list);
    return openFile(AT_FDCWD, path, flags, mode);
}
int openat(int folder, const char* path, int flags, ...) {
    va_list list;
    va_start(list, flags);
    const unsigned mode = modeOf(flags, list);
    va_end(list);
    return openFile(folder, path, flags, mode);
}
int mkostemp(char* name, int flags) {
    return fails("open", absolute(AT_FDCWD, name), Space::Always) ? -1 : REAL(mkostemp)(name, flags);
}
char* mkdtemp(char* name) {
    return fails("mkdir", absolute(AT_FDCWD, name), Space::Always) ? nullptr : REAL(mkdtemp)(name);
}
int mkdir(const char* path, mode_t mode) {
    return fails("mkdir", absolute(AT_FDCWD, path), Space::Always) ? -1 : REAL(mkdir)(path, mode);
}
FILE* fopen(const char* path, const char* mode) {
    return fails("open", absolute(AT_FDCWD, path), mode[0] == 'r' ? Space::Never : Space::Always)
               ? nullptr
               : REAL(fopen)(path, mode);
}
FILE* fopen64(const char* path, const char* mode) {
    return fails("open", absolute(AT_FDCWD, path), mode[0] == 'r' ? Space::Never : Space::Always)
               ? nullptr
               : REAL(fopen64)(path, mode);
}

ssize_t write(int file, const void* bytes, size_t size) {
    const Verdict verdict = judge("write", pathOf(file), Space::Always, size > 1);
    if (verdict == Verdict::Fail) return -1;
    return REAL(write)(file, bytes, verdict == Verdict::Half ? size / 2 : size);
}
ssize_t writev(int file, const iovec* parts, int count) {
    const Verdict verdict = judge("write", pathOf(file), Space::Always, count > 0 && parts[0].iov_len > 0);
    if (verdict == Verdict::Fail) return -1;
    return verdict == Verdict::Half ? REAL(write)(file, parts[0].iov_base, parts[0].iov_len)
                                    : REAL(writev)(file, parts, count);
}
ssize_t pwrite64(int file, const void* bytes, size_t size, off64_t at) {
    const Verdict verdict = judge("write", pathOf(file), Space::Always, size > 1);
    if (verdict == Verdict::Fail) return -1;
    return REAL(pwrite64)(file, bytes, verdict == Verdict::Half ? size / 2 : size, at);
}
ssize_t read(int file, void* bytes, size_t size) {
    return fails("read", pathOf(file), Space::Never) ? -1 : REAL(read)(file, bytes, size);
}
ssize_t pread(int file, void* bytes, size_t size, off_t at) {
    return fails("read", pathOf(file), Space::Never) ? -1 : REAL(pread)(file, bytes, size, at);
}
ssize_t pread64(int file, void* bytes, size_t size, off64_t at) {
    return fails("read", pathOf(file), Space::Never) ? -1 : REAL(pread64)(file, bytes, size, at);
}
int ftruncate(int file, off_t size) {
    return fails("ftruncate", pathOf(file), Space::Maybe) ? -1 : REAL(ftruncate)(file, size);
}
int fsync(int file) { return fails("fsync", pathOf(file), Space::Maybe) ? -1 : REAL(fsync)(file); }
int fdatasync(int file) { return fails("fsync", pathOf(file), Space::Maybe) ? -1 : REAL(fdatasync)(file); }
int fchmod(int file, mode_t mode) { return fails("chmod", pathOf(file), Space::Never) ? -1 : REAL(fchmod)(file, mode); }
int rename(const char* from, const char* to) {
    return fails("rename", absolute(AT_FDCWD, to), Space::Maybe) ? -1 : REAL(rename)(from, to);
}
int renameat2(int fromFolder, const char* from, int toFolder, const char* to, unsigned flags) {
    return fails("rename", absolute(toFolder, to), Space::Maybe)
               ? -1
               : REAL(renameat2)(fromFolder, from, toFolder, to, flags);
}
int link(const char* from, const char* to) {
    return fails("link", absolute(AT_FDCWD, to), Space::Maybe) ? -1 : REAL(link)(from, to);
}
int linkat(int fromFolder, const char* from, int toFolder, const char* to, int flags) {
    return fails("link", absolute(toFolder, to), Space::Maybe) ? -1
                                                               : REAL(linkat)(fromFolder, from, toFolder, to, flags);
}
int unlink(const char* path) {
    return fails("unlink", absolute(AT_FDCWD, path), Space::Never) ? -1 : REAL(unlink)(path);
}
int unlinkat(int folder, const char* path, int flags) {
    return fails("unlink", absolute(folder, path), Space::Never) ? -1 : REAL(unlinkat)(folder, path, flags);
}
}
