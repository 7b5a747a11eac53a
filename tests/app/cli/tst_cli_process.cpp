// SPDX-License-Identifier: GPL-3.0-or-later
// The program among others: what it links, signals, closed pipes, full disks, the window beside it.
#include "program.h"
#include "tests/sanitized.h"

#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <csignal>

class TstCliProcess : public QObject {
    Q_OBJECT
private:
    static QByteArray shell(const QString& script) {
        QProcess process;
        process.setWorkingDirectory(LANCET_SOURCE_DIR);
        process.setProcessChannelMode(QProcess::MergedChannels);
        process.start("bash", {"-c", script});
        process.waitForFinished(60000);
        return process.readAllStandardOutput().trimmed();
    }

private Q_SLOTS:
    void libraries_ofTheProgram_areNeitherTorchNorQt() {
        const QByteArray libraries = shell("ldd " LANCET_PROGRAM);
        QVERIFY(libraries.contains("libc.so"));
        for (const char* name : {"libtorch", "libc10", "libQt", "libpython"})
            QVERIFY2(!libraries.contains(name), libraries);
    }

    void output_readerGone_endsSilently_data() {
        QTest::addColumn<QString>("prefix");
        QTest::addColumn<QByteArray>("exit");
        QTest::newRow("signal") << "" << QByteArray("141");
        QTest::newRow("signal ignored") << "trap '' PIPE; " << QByteArray("6");
    }
    void output_readerGone_endsSilently() {
        QFETCH(QString, prefix);
        QFETCH(QByteArray, exit);
        QCOMPARE(shell(prefix + "(sleep 0.2; exec " LANCET_PROGRAM
                                " graph resources/samples/resnet.pt) | true; echo ${PIPESTATUS[0]}"),
                 exit);
    }

    void output_diskFull_isAnError() {
        const QByteArray said = shell(LANCET_PROGRAM " graph resources/samples/resnet.pt > /dev/full; echo $?");
        QVERIFY2(said.startsWith("lancet: error: cannot write standard output"), said);
        QVERIFY2(said.endsWith("4"), said);
    }

    void interrupt_whileWaiting_endsWithCode6_data() {
        QTest::addColumn<int>("signal");
        QTest::newRow("SIGINT") << SIGINT;
        QTest::newRow("SIGTERM") << SIGTERM;
    }
    void interrupt_whileWaiting_endsWithCode6() {
        QFETCH(int, signal);
        QProcess process;
        process.start(LANCET_PROGRAM, {"info", "-", "--json"}); // waits for standard input
        QVERIFY(process.waitForStarted());
        QTest::qWait(kPatience * 300);
        ::kill(static_cast<pid_t>(process.processId()), signal);
        QVERIFY(process.waitForFinished(kPatience * 5000));
        QCOMPARE(process.exitStatus(), QProcess::NormalExit);
        QCOMPARE(process.exitCode(), 6);
        QVERIFY(process.readAllStandardOutput().contains("\"kind\": \"cancelled\""));
    }

    void window_noVerb_startsTheProgramBesideWithTheModels() {
        const QTemporaryDir folder;
        QVERIFY(QFile::copy(LANCET_PROGRAM, folder.filePath("lancet")));
        put(folder.filePath("lancet-gui"), "#!/bin/sh\necho gui \"$@\"\nexit 7\n");
        QVERIFY(QFile::setPermissions(folder.filePath("lancet-gui"), QFile::ReadOwner | QFile::ExeOwner));
        const QString run = folder.filePath("lancet") + " %1; echo $?";
        QCOMPARE(shell(run.arg("resources/samples/resnet.pt resources/samples/my_module.pt")),
                 QByteArray("gui resources/samples/resnet.pt resources/samples/my_module.pt\n7"));
        QCOMPARE(shell(run.arg("")), QByteArray("gui\n7"));
    }

    void window_missing_isToldPlainly() {
        const QTemporaryDir folder;
        QVERIFY(QFile::copy(LANCET_PROGRAM, folder.filePath("lancet")));
        const QByteArray said =
            shell("PATH=/nonexistent " + folder.filePath("lancet") + " resources/samples/resnet.pt; echo $?");
        QVERIFY2(said.startsWith("lancet: error: cannot start lancet-gui"), said);
        QVERIFY2(said.endsWith("4"), said);
    }
};

QTEST_GUILESS_MAIN(TstCliProcess)
#include "tst_cli_process.moc"
