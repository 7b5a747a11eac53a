// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/files/file_identity.h"
#include "core/files/replaced_file.h"

#include "core/diag/error.h"

#include <QDir>
#include <QFile>
#include <QScopeGuard>
#include <QTemporaryDir>
#include <QTest>

#include <csignal>
#include <fcntl.h>
#include <optional>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

class TestReplacedFile : public QObject {
    Q_OBJECT
private:
    static QByteArray content(const QString& path) {
        QFile file(path);
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray("(missing)");
    }
    static void put(const QString& path, const QByteArray& bytes) {
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(bytes);
    }

    /// The message and remedy of what `save` is refused with; `folder` has only a.txt then, as it was.
    template<class Save>
    static void refusedWith(const QString& folder, Save save, const QString& reason, const QString& remedy) {
        const QByteArray before = content(folder + "/a.txt");
        try {
            save();
            QFAIL("not refused");
        } catch (const fx::Error& error) {
            QCOMPARE(error.kind(), fx::ErrorKind::Refused);
            QVERIFY2(QString::fromUtf8(error.what()).contains(reason), error.what());
            QVERIFY2(QString::fromStdString(error.hint).contains(remedy), error.hint.c_str());
        }
        QCOMPARE(content(folder + "/a.txt"), before);
        QCOMPARE(QDir(folder).entryList(QDir::Files | QDir::Hidden), QStringList("a.txt"));
    }

private Q_SLOTS:
    void keptFile_isBack_unlessForgotten() {
        const QTemporaryDir folder;
        const QString path = folder.filePath("a.txt"), fresh = folder.filePath("b.txt");
        put(path, "old");
        const auto replace = [](const QString& target, const char* text) {
            fx::ReplacedFile file(target.toStdString());
            file.write(text);
            file.commit();
        };
        {
            const fx::KeptFile before(path.toStdString()), none(fresh.toStdString());
            replace(path, "wrong");
            replace(fresh, "wrong");
        }
        QCOMPARE(content(path), QByteArray("old"));
        QCOMPARE(QDir(folder.path()).entryList(QDir::Files | QDir::Hidden), QStringList("a.txt"));
        {
            fx::KeptFile before(path.toStdString());
            replace(path, "right");
            before.forget();
        }
        QCOMPARE(content(path), QByteArray("right"));
        QCOMPARE(QDir(folder.path()).entryList(QDir::Files | QDir::Hidden), QStringList("a.txt"));
    }

    void keptFile_leavesWhatOthersWrote() {
        const QTemporaryDir folder;
        const QString path = folder.filePath("a.txt"), fresh = folder.filePath("b.txt"), away = folder.filePath("away");
        put(path, "old");
        const auto others = [&](const QString& target) { // a new file in its place, as careful programs write
            put(away, "another program's");
            QCOMPARE(::rename(away.toUtf8().constData(), target.toUtf8().constData()), 0);
        };
        for (const bool commits : {false, true}) {
            const fx::KeptFile before(path.toStdString()), none(fresh.toStdString());
            for (const QString& target : {path, fresh}) {
                fx::ReplacedFile file(target.toStdString());
                file.write("mine");
                if (commits) file.commit();
                others(target);
                if (!commits) QVERIFY_THROWS_EXCEPTION(fx::Error, file.commit());
            }
        }
        QCOMPARE(content(path), QByteArray("another program's"));
        QCOMPARE(content(fresh), QByteArray("another program's"));
        QCOMPARE(QDir(folder.path()).entryList(QDir::Files | QDir::Hidden), QStringList({"a.txt", "b.txt"}));
    }

    void process_killedWhileItWrites_leavesNothing() {
        const QTemporaryDir folder;
        const QString path = folder.filePath("a.txt");
        put(path, "old");
        const int unnamed = ::open(folder.path().toUtf8().constData(), O_TMPFILE | O_WRONLY, 0600);
        if (unnamed < 0) return; // this file system has none
        ::close(unnamed);
        const auto die = [&](bool keeps) {
            const pid_t child = ::fork();
            if (child == 0) {
                std::optional<fx::KeptFile> before;
                if (keeps) before.emplace(path.toStdString());
                fx::ReplacedFile file(path.toStdString());
                file.write("half");
                ::kill(::getpid(), SIGKILL);
            }
            ::waitpid(child, nullptr, 0);
        };
        die(false);
        QCOMPARE(content(path), QByteArray("old"));
        QCOMPARE(QDir(folder.path()).entryList(QDir::Files | QDir::Hidden), QStringList("a.txt"));
        die(true); // what it kept goes with the next write
        QCOMPARE(QDir(folder.path()).entryList(QDir::Files | QDir::Hidden).size(), 2);
        fx::KeptFile(path.toStdString()).forget();
        QCOMPARE(QDir(folder.path()).entryList(QDir::Files | QDir::Hidden), QStringList("a.txt"));
    }

    void commit_newAndExistingTarget_isReplacedInOneStep() {
        const QTemporaryDir folder;
        const QString path = folder.filePath("a.txt");
        for (const QByteArray text : {"first", "second"}) {
            const QByteArray before = content(path);
            fx::ReplacedFile file(path.toStdString());
            file.write(text.toStdString());
            QCOMPARE(content(path), before);
            file.commit();
            QCOMPARE(content(path), text);
        }
        QCOMPARE(QDir(folder.path()).entryList(QDir::Files), QStringList("a.txt"));
    }

    void destroyed_withoutCommit_leavesTargetAndNothingElse() {
        const QTemporaryDir folder;
        const QString path = folder.filePath("a.txt");
        put(path, "old");
        { fx::ReplacedFile(path.toStdString()).write("new"); }
        QCOMPARE(content(path), QByteArray("old"));
        QCOMPARE(QDir(folder.path()).entryList(QDir::Files), QStringList("a.txt"));
    }

    void commit_targetIsLink_keepsTheLinkAndTheMode() {
        const QTemporaryDir folder;
        const QString path = folder.filePath("real.txt"), link = folder.filePath("link.txt");
        put(path, "old");
        QVERIFY(QFile::setPermissions(path, QFile::ReadOwner | QFile::WriteOwner));
        QVERIFY(QFile::link(path, link));
        fx::ReplacedFile file(link.toStdString());
        file.write("new");
        file.commit();
        QVERIFY(QFileInfo(link).isSymLink());
        QCOMPARE(content(path), QByteArray("new"));
        QCOMPARE(QFile::permissions(path) & (QFile::ReadGroup | QFile::ReadOther), QFile::Permissions());
    }

    void commit_longNameOrDanglingLink_isWritten() {
        const QTemporaryDir folder;
        const QString path = folder.filePath(QString(255, 'n')), link = folder.filePath("link.txt");
        QVERIFY(QFile::link(path, link));
        for (const QString& target : {link, path}) {
            fx::KeptFile before(target.toStdString());
            fx::ReplacedFile file(target.toStdString());
            file.write(target.toStdString());
            file.commit();
            before.forget();
            QCOMPARE(content(path), target.toUtf8());
        }
        QVERIFY(QFileInfo(link).isSymLink());
        QCOMPARE(QDir(folder.path()).entryList(QDir::Files | QDir::Hidden).size(), 2);
    }

    void paths_areResolvedAsTheKernelDoes() {
        const QTemporaryDir folder;
        const std::string file = folder.filePath("a.txt").toStdString(), base = folder.path().toStdString();
        put(folder.filePath("a.txt"), "text");
        QVERIFY(fx::resolvedPath(base + "/nope/../a.txt").empty());
        QVERIFY(!fx::isSameFile(file, base + "/nope/../a.txt"));
        QVERIFY(fx::isSameFile(file, base + "/./a.txt"));
        QVERIFY(fx::isSameFile(base + "/new.txt",
                               base + "/../" + folder.path().section('/', -1).toStdString() + "/new.txt"));
        QVERIFY(!fx::isSameFile(base + "/new.txt", base + "/newer.txt"));
    }

    void write_deviceAsTarget_leavesTheDevice() {
        fx::ReplacedFile file("/dev/null");
        file.write("text");
        file.commit();
        QVERIFY(!QFileInfo("/dev/null").isFile());
    }

    void write_noRoom_saysSoAndLeavesTheOldFile() {
        const QTemporaryDir folder;
        put(folder.filePath("a.txt"), "old");
        struct rlimit old;
        QCOMPARE(::getrlimit(RLIMIT_FSIZE, &old), 0);
        const struct rlimit small { 4096, old.rlim_max };
        const auto restore = qScopeGuard([&] { ::setrlimit(RLIMIT_FSIZE, &old); });
        refusedWith(
            folder.path(),
            [&] {
                fx::ReplacedFile file(folder.filePath("a.txt").toStdString());
                ::setrlimit(RLIMIT_FSIZE, &small);
                file.write(std::string(10000, 'x'));
            },
            "File too large", "raise the file size limit");
        // A disk that is full: this one always is.
        try {
            fx::ReplacedFile file("/dev/full");
            file.write("text");
            QFAIL("not refused");
        } catch (const fx::Error& error) {
            QVERIFY2(QByteArray(error.what()).contains("No space left"), error.what());
            QVERIFY2(error.hint.starts_with("make room"), error.hint.c_str());
        }
    }

    void commit_targetReplacedMeanwhile_isRefused() {
        const QTemporaryDir folder;
        const QString path = folder.filePath("a.txt");
        put(path, "old");
        refusedWith(
            folder.path(),
            [&] {
                fx::ReplacedFile file(path.toStdString());
                file.write("ours");
                const auto restore = qScopeGuard([&] { put(path, "old"); });
                put(path, "somebody else's");
                file.commit();
            },
            "another program changed", "save again");
        // One that has come meanwhile is no other matter; one that has gone is made again.
        QVERIFY(QFile::remove(path));
        {
            fx::ReplacedFile file(path.toStdString());
            put(path, "theirs");
            QVERIFY_THROWS_EXCEPTION(fx::Error, file.commit());
        }
        QCOMPARE(content(path), QByteArray("theirs"));
        fx::ReplacedFile file(path.toStdString());
        file.write("ours");
        QVERIFY(QFile::remove(path));
        file.commit();
        QCOMPARE(content(path), QByteArray("ours"));
        QCOMPARE(QDir(folder.path()).entryList(QDir::Files | QDir::Hidden), QStringList("a.txt"));
    }

    void open_folderThatCannotBeWritten_isRefused() {
        // Whoever may do everything is stopped by a read-only file system alone.
        const bool root = ::geteuid() == 0;
        const QTemporaryDir folder;
        put(folder.filePath("a.txt"), "old");
        if (root) {
            try {
                fx::ReplacedFile file("/proc/lancet.txt");
                QFAIL("not refused");
            } catch (const fx::Error& error) { QVERIFY(!error.hint.empty()); }
            return;
        }
        QVERIFY(QFile::setPermissions(folder.path(), QFile::ReadOwner | QFile::ExeOwner));
        const auto restore = qScopeGuard(
            [&] { QFile::setPermissions(folder.path(), QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner); });
        refusedWith(
            folder.path(), [&] { fx::ReplacedFile file(folder.filePath("a.txt").toStdString()); }, "Permission denied",
            "change the permissions");
    }

    void open_folderOrMissingFolder_isRefused() {
        const QTemporaryDir folder;
        for (const QString& path : {folder.path(), folder.path() + "/", folder.filePath("no/such/a.txt")}) {
            try {
                fx::ReplacedFile file(path.toStdString());
                QFAIL("not refused");
            } catch (const fx::Error& error) {
                QCOMPARE(error.kind(), fx::ErrorKind::Refused);
                QVERIFY(!error.file.empty());
            }
        }
    }
};

QTEST_APPLESS_MAIN(TestReplacedFile)
#include "tst_replaced_file.moc"
