// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/child_processes.h"

#include <QTest>

#include <array>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <string>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

using namespace fx;
using namespace std::chrono_literals;

namespace {

/// A child that leads a group and does nothing until it is killed; with a child of its own that does the same.
struct Sleeper {
    pid_t id = -1;
    int alive = -1; ///< reads the end of file when both are gone

    Sleeper() {
        int ends[2];
        if (::pipe(ends) != 0) qFatal("no pipe");
        id = ::fork();
        if (id == 0) {
            ::setpgid(0, 0);
            if (::fork() >= 0)
                while (true) ::pause();
            ::_exit(1);
        }
        ::setpgid(id, id);
        ::close(ends[1]);
        alive = ends[0];
        watchChild(id);
    }
    ~Sleeper() { ::close(alive); }
    Sleeper(const Sleeper&) = delete;
    Sleeper& operator=(const Sleeper&) = delete;

    bool isGone() const {
        pollfd ended{alive, POLLIN, 0};
        return ::poll(&ended, 1, 10'000) == 1;
    }
};

} // namespace

class TestChildProcesses : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void start_openDescriptors_areNotInherited() {
        constexpr int kOpen = 40;
        QVERIFY(::dup2(STDERR_FILENO, kOpen) == kOpen); // not closed on exec
        const auto status = [](const char* test) {
            const pid_t child = startChild({"sh", "-c", test}, {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO});
            return WEXITSTATUS(reapChild(child, std::chrono::seconds(10)).value_or(-1));
        };
        QCOMPARE(status("test -e /proc/$$/fd/2"), 0);
        QCOMPARE(status("test -e /proc/$$/fd/40"), 1);
        ::close(kOpen);
    }

    void reap_childThatEnds_givesItsStatus() {
        const pid_t child = ::fork();
        if (child == 0) ::_exit(7);
        watchChild(child);
        const auto status = reapChild(child, 10s);
        QVERIFY(status);
        QVERIFY(WIFEXITED(*status));
        QCOMPARE(WEXITSTATUS(*status), 7);
    }
    /// Descriptors 3 and 4 of the child are 4 and 3 here.
    void descriptors_thatTakeEachOthersNumbers_arrive() {
        std::array<int, 2> first{}, second{};
        QVERIFY(::pipe2(first.data(), O_CLOEXEC) == 0 && ::pipe2(second.data(), O_CLOEXEC) == 0);
        const std::array kept{::fcntl(3, F_DUPFD_CLOEXEC, 20), ::fcntl(4, F_DUPFD_CLOEXEC, 20)};
        const int a = ::fcntl(first[1], F_DUPFD_CLOEXEC, 20), b = ::fcntl(second[1], F_DUPFD_CLOEXEC, 20);
        const std::array reads{::fcntl(first[0], F_DUPFD_CLOEXEC, 20), ::fcntl(second[0], F_DUPFD_CLOEXEC, 20)};
        ::dup3(a, 4, O_CLOEXEC), ::dup3(b, 3, O_CLOEXEC);
        const pid_t child =
            startChild({"sh", "-c", "echo a >&3; echo b >&4"}, {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO, 4, 3});
        std::array<char, 2> read{};
        QCOMPARE(::read(reads[0], read.data(), 1), ssize_t{1});
        QCOMPARE(::read(reads[1], read.data() + 1, 1), ssize_t{1});
        QCOMPARE(std::string(read.data(), 2), std::string("ab"));
        QVERIFY(reapChild(child, std::chrono::seconds(10)));
        for (std::size_t i = 0; i < kept.size(); ++i)
            if (kept[i] >= 0) ::dup3(kept[i], static_cast<int>(i) + 3, O_CLOEXEC);
    }

    void start_programInPath_getsItsStreams() {
        int ends[2];
        QCOMPARE(::pipe(ends), 0);
        const pid_t child = startChild({"sh", "-c", "echo out; echo err >&2"}, {STDIN_FILENO, ends[1], ends[1]});
        ::close(ends[1]);
        std::string output;
        char letter = 0;
        while (::read(ends[0], &letter, 1) == 1) output += letter;
        ::close(ends[0]);
        QCOMPARE(output, std::string("out\nerr\n"));
        QVERIFY(reapChild(child, 10s));
    }
    void start_unknownProgram_throws() {
        try {
            startChild({"no-such-program"}, {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO});
            QFAIL("it was started");
        } catch (const std::system_error& error) { QCOMPARE(error.code().value(), ENOENT); }
    }
    void reap_childThatGoesOn_givesUpAtTheLimit() {
        const Sleeper sleeper;
        const auto start = std::chrono::steady_clock::now();
        QVERIFY(!reapChild(sleeper.id, 50ms));
        QVERIFY(std::chrono::steady_clock::now() - start < 5s);
        const auto status = killChild(sleeper.id);
        QVERIFY(status);
        QVERIFY(WIFSIGNALED(*status));
        QVERIFY(WTERMSIG(*status) == SIGKILL);
        QVERIFY(sleeper.isGone());
        QVERIFY(!killChild(sleeper.id)); // its number may be somebody else's by now
    }
    // Last: from then on every child is killed.
    void killAll_endsThoseThatRunAndThoseThatCome() {
        const Sleeper before;
        killChildren();
        const Sleeper after;
        for (const Sleeper* child : {&before, &after}) {
            QVERIFY(reapChild(child->id, 10s));
            QVERIFY(child->isGone());
        }
    }
};

QTEST_GUILESS_MAIN(TestChildProcesses)
#include "tst_child_processes.moc"
