// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/child_processes.h"

#include <QTest>

#include <cerrno>
#include <csignal>
#include <poll.h>
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
