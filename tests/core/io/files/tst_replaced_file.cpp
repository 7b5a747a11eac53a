// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/files/replaced_file.h"

#include "core/diag/error.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

class TstReplacedFile : public QObject {
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

private Q_SLOTS:
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

    void write_deviceAsTarget_leavesTheDevice() {
        fx::ReplacedFile file("/dev/null");
        file.write("text");
        file.commit();
        QVERIFY(!QFileInfo("/dev/null").isFile());
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

QTEST_APPLESS_MAIN(TstReplacedFile)
#include "tst_replaced_file.moc"
