// SPDX-License-Identifier: GPL-3.0-or-later
// Temporary files and folders: what a killed process leaves is removed by the next one, and nothing else.
#include "core/files/leftovers.h"

#include "core/diag/error.h"
#include "core/files/private_folder.h"
#include "core/files/replaced_file.h"
#include "core/files/temporary_folder.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QScopeGuard>
#include <QTemporaryDir>
#include <QTest>

#include <csignal>
#include <fcntl.h>
#include <functional>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace fx;

class TestLeftovers : public QObject {
    Q_OBJECT

    static void put(const QString& path, const QByteArray& bytes = "x") {
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(bytes);
    }
    static QStringList entries(const QString& folder) {
        return QDir(folder).entryList(QDir::AllEntries | QDir::Hidden | QDir::System | QDir::NoDotAndDotDot);
    }
    /// Runs `work` in a child, which is then killed.
    static void inKilledProcess(const std::function<void()>& work) {
        const pid_t child = ::fork();
        if (child == 0) {
            work();
            ::kill(::getpid(), SIGKILL);
        }
        int status = 0;
        QCOMPARE(::waitpid(child, &status, 0), child);
        QVERIFY(WIFSIGNALED(status));
        QVERIFY(WTERMSIG(status) == SIGKILL);
    }
    /// The mark that a process has which ran with this number, but earlier.
    static std::string markOf(const std::string& number) {
        const std::string own = processMark();
        return number + own.substr(own.find('-'));
    }

private Q_SLOTS:
    void marks_tellWhoHasEnded() {
        const std::string own = processMark();
        QVERIFY(!hasEnded(own));
        const std::size_t first = own.find('-'), second = own.find('-', first + 1);
        QVERIFY2(hasEnded(own.substr(0, first + 1) + "1" + own.substr(second)), "another start: the number came again");
        QVERIFY(hasEnded(markOf("4194303")));
        QVERIFY2(!hasEnded(own.substr(0, second + 1) + "00000000"), "a process of another computer");
        for (const char* text :
             {"", "12", "12-", "12-3", "x-1-00000000", "-1-1-00000000", "1-2-0000000", "1-2-000000000"})
            QVERIFY2(!hasEnded(text), text);
    }

    void leftovers_areRemoved_othersStay() {
        const QTemporaryDir folder;
        const QString gone = QString::fromStdString(markOf("4194303")), own = QString::fromStdString(processMark());
        const QStringList stay = {"net.pt",
                                  "net.pt.before-" + own,
                                  "net.pt.before-4194303",
                                  "lancet-" + own + "-abcdef",
                                  "notes.before-2024-11-28",
                                  "net.safetensors.before-" + gone,
                                  "net-" + gone};
        for (const QString& name : stay) put(folder.filePath(name));
        put(folder.filePath("net.pt.before-" + gone));
        put(folder.filePath("net.pt.lancet-" + gone + "-0"));
        QVERIFY(QDir(folder.path()).mkpath("lancet-" + gone + "-abcdef/inside"));
        put(folder.filePath("lancet-" + gone + "-abcdef/inside/a.pt"));
        removeLeftovers(folder.path().toStdString());
        QStringList sorted = stay;
        sorted.sort();
        QStringList left = entries(folder.path());
        left.sort();
        QCOMPARE(left, sorted);
    }

    void links_areNeitherFollowedNorRemoved() {
        const QTemporaryDir folder;
        const QString gone = QString::fromStdString(markOf("4194303"));
        QVERIFY(QDir(folder.path()).mkdir("mine"));
        put(folder.filePath("mine/precious"));
        QVERIFY(QFile::link(folder.filePath("mine"), folder.filePath("lancet-" + gone + "-abcdef")));
        QVERIFY(QDir(folder.path()).mkdir("net.lancet-" + gone + "-abcdef"));
        QVERIFY(QFile::link(folder.filePath("mine"), folder.filePath("net.lancet-" + gone + "-abcdef/inside")));
        removeLeftovers(folder.path().toStdString());
        QVERIFY(QFile::exists(folder.filePath("mine/precious")));
        QVERIFY(!QFile::exists(folder.filePath("net.lancet-" + gone + "-abcdef")));
    }

    void killedWriters_leaveWhatTheNextOneRemoves() {
        const QTemporaryDir folder;
        const std::string path = folder.filePath("net.pt").toStdString();
        put(folder.filePath("net.pt"), "old");
        inKilledProcess([&] {
            auto* kept = new KeptFile(path);          // NOLINT: its process is killed
            auto* beside = new TemporaryFolder(path); // NOLINT
            auto* file = new ReplacedFile(path);      // NOLINT
            file->write("new");
            (void)kept, (void)beside;
        });
        QVERIFY2(entries(folder.path()).size() >= 3, "the test has killed nothing");
        const KeptFile next(path);
        QCOMPARE(entries(folder.path()).size(), 2); // net.pt and what this process keeps
    }

    void leftovers_goWithTheNextFileThatIsWritten() {
        const QTemporaryDir folder;
        put(folder.filePath(QString::fromStdString("net.pt.lancet-" + markOf("4194303") + "-x7Tq0a")));
        ReplacedFile file(folder.filePath("net.pt").toStdString());
        file.write("new");
        file.commit();
        QCOMPARE(entries(folder.path()), QStringList("net.pt"));
    }

    void temporaryFolder_isPrivate_andGoes() {
        const QTemporaryDir place;
        qputenv("TMPDIR", place.path().toLocal8Bit());
        const auto back = qScopeGuard([] { qunsetenv("TMPDIR"); });
        std::string path;
        {
            const TemporaryFolder folder;
            path = folder.path();
            struct stat status;
            QCOMPARE(::stat(path.c_str(), &status), 0);
            QCOMPARE(status.st_mode & 0777, mode_t{0700});
            put(QString::fromStdString(path + "/inside"));
            QCOMPARE(entries(place.path()).size(), 1);
        }
        QVERIFY(entries(place.path()).isEmpty());
        inKilledProcess([] { new TemporaryFolder; }); // NOLINT
        QCOMPARE(entries(place.path()).size(), 1);
        const TemporaryFolder next;
        QCOMPARE(entries(place.path()), QStringList(QFileInfo(QString::fromStdString(next.path())).fileName()));
    }

    void temporaryFolder_withoutPlace_saysWhy() {
        qputenv("TMPDIR", "/nonexistent/tmp");
        const auto back = qScopeGuard([] { qunsetenv("TMPDIR"); });
        try {
            const TemporaryFolder folder;
            QFAIL("made");
        } catch (const Error& error) {
            QCOMPARE(error.file, std::string("/nonexistent/tmp"));
            QVERIFY2(QString::fromUtf8(error.what()).contains("No such file"), error.what());
            QVERIFY(!error.hint.empty());
        }
    }

    void privateFolder_isMadeForOneUser() {
        const QTemporaryDir folder;
        const std::string path = folder.filePath("a/b/c").toStdString();
        makePrivateFolder(path);
        struct stat status;
        for (const char* each : {"a", "a/b", "a/b/c"}) {
            QCOMPARE(::stat(folder.filePath(each).toLocal8Bit().constData(), &status), 0);
            QCOMPARE(status.st_mode & 0777, mode_t{0700});
        }
        QVERIFY(isPrivateFolder(path));
        QCOMPARE(::chmod(path.c_str(), 0777), 0);
        QVERIFY(!isPrivateFolder(path));
        makePrivateFolder(path);
        QVERIFY(isPrivateFolder(path));
    }

    void privateFolder_linkOrOfAnother_refused() {
        const QTemporaryDir folder;
        QVERIFY(QFile::link(folder.path(), folder.filePath("link")));
        QVERIFY(!isPrivateFolder(folder.filePath("link").toStdString()));
        QVERIFY_THROWS_EXCEPTION(Error, makePrivateFolder(folder.filePath("link").toStdString()));
        if (::geteuid() != 0) return; // only root can make a folder of somebody else
        const std::string other = folder.filePath("other").toStdString();
        QCOMPARE(::mkdir(other.c_str(), 0700), 0);
        QCOMPARE(::chown(other.c_str(), 65534, 65534), 0);
        QVERIFY(!isPrivateFolder(other));
        QVERIFY_THROWS_EXCEPTION(Error, makePrivateFolder(other));
    }

    void newModes_followTheUmask() {
        const mode_t before = ::umask(027);
        const auto back = qScopeGuard([before] { ::umask(before); });
        QCOMPARE(modeForNew(0666), 0640U);
        QCOMPARE(modeForNew(0777), 0750U);
    }
};

QTEST_APPLESS_MAIN(TestLeftovers)
#include "tst_leftovers.moc"
