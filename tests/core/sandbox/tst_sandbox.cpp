// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sandbox/sandbox.h"

#include <QTemporaryDir>
#include <QTest>

#include <array>
#include <csignal>
#include <fcntl.h>
#include <fstream>
#include <functional>
#include <netinet/in.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace {

/// 0, or the number of the error.
int errorOf(long result) { return result < 0 ? errno : 0; }

struct Attempt {
    const char* name;
    std::function<int()> action;
};

/// The end of a child in words: "0" when `action` gave 0.
QString ended(const std::function<int()>& action) {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(action());
    int status = 0;
    ::waitpid(child, &status, 0);
    if (WIFSIGNALED(status)) return QStringLiteral("signal %1").arg(WTERMSIG(status));
    return QString::number(WEXITSTATUS(status));
}

} // namespace

class TestSandbox : public QObject {
    Q_OBJECT
    QTemporaryDir m_folder;
    std::string m_given, m_foreign;
    pid_t m_victim = -1; ///< another process of the user

    std::string at(const char* name) const { return m_folder.filePath(name).toStdString(); }
    QString inside(const std::function<int()>& action) const {
        return ended([&] { return fx::enterSandbox({{m_given, at("folder")}}).holds() ? action() : 100; });
    }

    int connectTo(int family) const {
        const int connection = ::socket(family, SOCK_STREAM, 0);
        if (connection < 0) return errno;
        sockaddr_un local{AF_UNIX, {}};
        at("socket").copy(local.sun_path, sizeof local.sun_path - 1);
        return errorOf(::connect(connection, reinterpret_cast<sockaddr*>(&local), sizeof local));
    }

    std::vector<Attempt> attempts() const {
        const auto opening = [](std::string path, int flags) {
            return [path = std::move(path), flags] { return errorOf(::open(path.c_str(), flags, 0600)); };
        };
        const std::string parent = "/proc/" + std::to_string(::getpid());
        return {
            {"read a foreign file", opening(m_foreign, O_RDONLY)},
            {"read through a link", opening(at("link"), O_RDONLY)},
            {"read through the root of the process", opening("/proc/self/root" + m_foreign, O_RDONLY)},
            {"read the folder of a file", opening(m_folder.path().toStdString(), O_RDONLY | O_DIRECTORY)},
            {"read the parent's memory", opening(parent + "/mem", O_RDONLY)},
            {"read the parent's environment", opening(parent + "/environ", O_RDONLY)},
            {"open a place only", opening(m_foreign, O_PATH)},
            {"create", opening(at("new"), O_WRONLY | O_CREAT)},
            {"create without a name", opening(m_folder.path().toStdString(), O_WRONLY | O_TMPFILE)},
            {"create in a given folder", opening(at("folder/new"), O_WRONLY | O_CREAT)},
            {"write", opening(m_given, O_WRONLY)},
            {"write and read", opening(m_given, O_RDWR)},
            {"truncate on opening", opening(m_given, O_RDONLY | O_TRUNC)},
            {"truncate", [this] { return errorOf(::truncate(m_given.c_str(), 0)); }},
            {"make a folder", [this] { return errorOf(::mkdir(at("made").c_str(), 0700)); }},
            {"remove", [this] { return errorOf(::unlink(at("removed").c_str())); }},
            {"rename", [this] { return errorOf(::rename(at("renamed").c_str(), at("other").c_str())); }},
            {"link", [this] { return errorOf(::link(m_given.c_str(), at("hard").c_str())); }},
            {"link by name", [this] { return errorOf(::symlink("a", at("soft").c_str())); }},
            {"change rights", [this] { return errorOf(::chmod(m_given.c_str(), 0666)); }},
            {"change times", [this] { return errorOf(::utimensat(AT_FDCWD, m_given.c_str(), nullptr, 0)); }},
            {"make a pipe with a name", [this] { return errorOf(::mkfifo(at("fifo").c_str(), 0600)); }},
            {"change the folder", [] { return errorOf(::chdir("/")); }},
            {"start a program",
             [] {
                 const char* words[] = {"/bin/true", nullptr};
                 ::execve(words[0], const_cast<char**>(words), nullptr);
                 return errno;
             }},
            {"fork",
             [] {
                 const pid_t child = ::fork();
                 if (child == 0) ::_exit(0);
                 return errorOf(child);
             }},
            {"open a socket", [] { return errorOf(::socket(AF_INET, SOCK_STREAM, 0)); }},
            {"open a local socket", [] { return errorOf(::socket(AF_UNIX, SOCK_STREAM, 0)); }},
            {"connect", [this] { return connectTo(AF_UNIX); }},
            {"a pair of sockets",
             [] {
                 std::array<int, 2> ends{};
                 return errorOf(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()));
             }},
            {"signal the parent", [] { return errorOf(::kill(::getppid(), 0)); }},
            {"signal another", [this] { return errorOf(::kill(m_victim, SIGCONT)); }},
            {"signal the group", [] { return errorOf(::kill(0, 0)); }},
            {"signal a thread of another", [this] { return errorOf(::syscall(SYS_tkill, m_victim, 0)); }},
            {"trace", [this] { return errorOf(::ptrace(PTRACE_SEIZE, m_victim, nullptr, nullptr)); }},
            {"read memory of another",
             [this] {
                 char byte = 0;
                 const iovec here{&byte, 1}, there{const_cast<char*>(&m_victimByte), 1};
                 return errorOf(::process_vm_readv(m_victim, &here, 1, &there, 1, 0));
             }},
            {"slow down another",
             [this] { return errorOf(::setpriority(PRIO_PROCESS, static_cast<id_t>(m_victim), 1)); }},
            {"place another",
             [this] {
                 cpu_set_t all;
                 ::sched_getaffinity(0, sizeof all, &all);
                 return errorOf(::sched_setaffinity(m_victim, sizeof all, &all));
             }},
            {"limit another",
             [this] {
                 rlimit now{};
                 ::getrlimit(RLIMIT_NOFILE, &now);
                 return errorOf(::prlimit(m_victim, RLIMIT_NOFILE, nullptr, &now));
             }},
            {"shared memory", [] { return errorOf(::shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600)); }},
            {"memory as a file", [] { return errorOf(::memfd_create("x", 0)); }},
            {"get signals by a descriptor",
             [] {
                 std::array<int, 2> ends{};
                 return ::pipe(ends.data()) != 0 ? 0 : errorOf(::fcntl(ends[0], F_SETOWN, ::getpid()));
             }},
            {"a handle of a process", [this] { return errorOf(::syscall(SYS_pidfd_open, m_victim, 0)); }},
            {"become dumpable", [] { return errorOf(::prctl(PR_SET_DUMPABLE, 1, 0, 0, 0)); }},
            {"raise limits",
             [] {
                 rlimit now{};
                 ::getrlimit(RLIMIT_NOFILE, &now);
                 return errorOf(::setrlimit(RLIMIT_NOFILE, &now));
             }},
        };
    }

    char m_victimByte = 0;

private Q_SLOTS:
    void initTestCase() {
        m_given = at("given"), m_foreign = at("foreign");
        for (const char* name : {"given", "foreign", "removed", "renamed"}) std::ofstream(at(name)) << "content";
        ::mkdir(at("folder").c_str(), 0700);
        std::ofstream(at("folder/inner")) << "content";
        QCOMPARE(::symlink(m_foreign.c_str(), at("link").c_str()), 0);
        const int listening = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
        sockaddr_un local{AF_UNIX, {}};
        at("socket").copy(local.sun_path, sizeof local.sun_path - 1);
        QCOMPARE(::bind(listening, reinterpret_cast<sockaddr*>(&local), sizeof local), 0);
        QCOMPARE(::listen(listening, 100), 0);
        ::prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0); // where Yama asks for it
        m_victim = ::fork();
        if (m_victim == 0) {
            ::prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
            while (true) ::pause();
        }
        QVERIFY(fx::sandboxSupport().holds()); // otherwise nothing below is tested
    }
    void cleanupTestCase() {
        ::kill(m_victim, SIGKILL);
        ::waitpid(m_victim, nullptr, 0);
    }

    void attempt_inside_isRefused_data() {
        QTest::addColumn<int>("number");
        const auto all = attempts();
        for (std::size_t i = 0; i < all.size(); ++i) QTest::newRow(all[i].name) << static_cast<int>(i);
    }
    void attempt_inside_isRefused() {
        QFETCH(int, number);
        const Attempt attempt = attempts()[static_cast<std::size_t>(number)];
        const QString got = inside(attempt.action);
        QVERIFY2(got == QString::number(EPERM) || got == QString::number(EACCES), qPrintable(got));
        QCOMPARE(ended(attempt.action), QStringLiteral("0")); // and is one that works elsewhere
    }

    void namespace_inside_isRefused() {
        for (const int kind : {CLONE_NEWUSER, CLONE_NEWNS, CLONE_NEWNET})
            QCOMPARE(inside([kind] { return errorOf(::unshare(kind)); }), QString::number(EPERM));
    }

    void oldSystemCalls_inside_endTheProcess() {
#ifdef __x86_64__
        QCOMPARE(inside([] { return errorOf(::syscall(0x40000000 + SYS_getpid)); }), QStringLiteral("signal 31"));
#endif
    }

    void reading_ofGivenFiles_works() {
        QCOMPARE(inside([this] { return errorOf(::open(m_given.c_str(), O_RDONLY)); }), QStringLiteral("0"));
        QCOMPARE(inside([this] { return errorOf(::open(at("folder/inner").c_str(), O_RDONLY)); }), QStringLiteral("0"));
        QCOMPARE(inside([this] { return errorOf(::open(at("folder").c_str(), O_RDONLY | O_DIRECTORY)); }),
                 QStringLiteral("0"));
    }

    /// The rights are those of the file, not of its name.
    void name_thatLeadsElsewhereLater_givesNoRights() {
        const std::string name = at("swapped");
        ::unlink(name.c_str());
        QCOMPARE(::symlink(m_given.c_str(), name.c_str()), 0);
        const auto open = [&](const std::string& path) { return errorOf(::open(path.c_str(), O_RDONLY)); };
        const auto swapped = [&] {
            std::array<int, 2> ready{}, done{};
            if (::pipe(ready.data()) != 0 || ::pipe(done.data()) != 0) return 101;
            const pid_t helper = ::fork();
            char byte = 0;
            if (helper == 0) {
                if (::read(ready[0], &byte, 1) != 1) ::_exit(1);
                ::unlink(name.c_str());
                ::_exit(::symlink(m_foreign.c_str(), name.c_str()) != 0 || ::write(done[1], &byte, 1) != 1);
            }
            if (!fx::enterSandbox({{name}}).holds() || open(name) != 0) return 102;
            if (::write(ready[1], &byte, 1) != 1 || ::read(done[0], &byte, 1) != 1) return 103;
            return open(name);
        };
        QCOMPARE(ended(swapped), QString::number(EACCES));
    }

    void threadsAndMemory_inside_work() {
        const auto work = [] {
            int sum = 0;
            for (int i = 0; i < 4; ++i) std::thread([&sum, i] { sum += i; }).join();
            void* code = ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
            return sum == 6 && ::mprotect(code, 4096, PROT_READ | PROT_EXEC) == 0 ? 0 : 1;
        };
        QCOMPARE(inside(work), QStringLiteral("0"));
    }

    void abort_inside_isASignal() {
        QCOMPARE(inside([] {
                     ::signal(SIGABRT, SIG_DFL); // not that of QtTest
                     ::abort();
                     return 0;
                 }),
                 QStringLiteral("signal %1").arg(SIGABRT));
    }

    /// A file that is open for writing stays so, but grows no more.
    void openFile_inside_doesNotGrow() {
        const int log = ::open(at("log").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
        QCOMPARE(inside([log] { return errorOf(::write(log, "x", 1)); }), QString::number(EFBIG));
        ::close(log);
    }

    /// What standard error leads to can be appended to, but not written over.
    void log_inside_isOnlyAppendedTo() {
        std::ofstream(at("stderr")) << "before\n";
        const auto write = [this] {
            const int log = ::open(at("stderr").c_str(), O_WRONLY);
            ::dup2(log, STDERR_FILENO);
            if (!fx::enterSandbox({}).holds()) return 100;
            ::lseek(STDERR_FILENO, 0, SEEK_SET);
            if (::ftruncate(STDERR_FILENO, 0) == 0 || ::pwrite(STDERR_FILENO, "x", 1, 0) == 1) return 101;
            if (::fcntl(STDERR_FILENO, F_SETFL, 0) == 0) return 102;
            if (::write(STDERR_FILENO, "after\n", 6) != 6) return errno;
            return ::write(log, "client\n", 7) == 7 ? 0 : errno; // by whoever shares it
        };
        QCOMPARE(ended(write), QStringLiteral("0"));
        QFile file(m_folder.filePath("stderr"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        QCOMPARE(file.readAll(), QByteArray("before\nafter\nclient\n"));
    }

    void threads_thatRunAlready_areSaid() {
        const auto enter = [] {
            std::thread([] { ::pause(); }).detach();
            const fx::SandboxState state = fx::enterSandbox({});
            return state.landlock == 0 && state.seccomp ? 0 : 1;
        };
        QCOMPARE(ended(enter), QStringLiteral("0"));
    }

    void sandbox_switchedOff_entersNothing() {
        const auto enter = [this] {
            ::setenv("LANCET_SANDBOX", "off", 1);
            ::freopen("/dev/null", "w", stderr);
            if (fx::sandboxSupport().holds() || fx::enterSandbox({}).holds()) return 1;
            return errorOf(::open(m_foreign.c_str(), O_RDONLY));
        };
        QCOMPARE(ended(enter), QStringLiteral("0"));
    }
};

QTEST_APPLESS_MAIN(TestSandbox)
#include "tst_sandbox.moc"
