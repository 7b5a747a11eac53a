// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/child_processes.h"

#include <QTest>

#include <csignal>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace fx;
using namespace std::chrono_literals;

namespace {

/// A child that leads a group and does nothing until it is killed; with a child of its own that does the same.
pid_t sleeper() {
    const pid_t child = ::fork();
    if (child == 0) {
        ::setpgid(0, 0);
        if (::fork() >= 0)
            while (true) ::pause();
        ::_exit(1);
    }
    ::setpgid(child, child);
    watchChild(child);
    return child;
}

bool groupExists(pid_t leader) {
    for (int i = 0; i < 500; ++i) { // those that the system has inherited take a moment
        if (::kill(-leader, 0) != 0) return false;
        std::this_thread::sleep_for(2ms);
    }
    return true;
}

} // namespace

class TestChildProcesses : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void reap_childThatEnds_givesItsStatus() {
        const pid_t child = ::fork();
        if (child == 0) ::_exit(7);
        watchChild(child);
        const auto status = reapChild(child, 10s);
        QVERIFY(status && WIFEXITED(*status));
        QCOMPARE(WEXITSTATUS(*status), 7);
    }
    void reap_childThatGoesOn_givesUpAtTheLimit() {
        const pid_t child = sleeper();
        const auto start = std::chrono::steady_clock::now();
        QVERIFY(!reapChild(child, 50ms));
        QVERIFY(std::chrono::steady_clock::now() - start < 5s);
        const auto status = killChild(child);
        QVERIFY(status && WIFSIGNALED(*status) && WTERMSIG(*status) == SIGKILL);
        QVERIFY(!groupExists(child));
        QVERIFY(!killChild(child)); // its number may be somebody else's by now
    }
    // Last: from then on every child is killed.
    void killAll_endsThoseThatRunAndThoseThatCome() {
        const pid_t before = sleeper();
        killChildren();
        const pid_t after = sleeper();
        for (const pid_t child : {before, after}) {
            QVERIFY(reapChild(child, 10s));
            QVERIFY(!groupExists(child));
        }
    }
};

QTEST_GUILESS_MAIN(TestChildProcesses)
#include "tst_child_processes.moc"
