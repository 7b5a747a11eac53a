// SPDX-License-Identifier: GPL-3.0-or-later
// The program among others: what it links, signals, closed pipes, full disks, the window beside it.
#include "program.h"
#include "tests/sanitized.h"
#include "tests/support/shell_python.h"

#include <QDir>
#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <csignal>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

class TestCliProcess : public QObject {
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
        for (const char* program : {LANCET_PROGRAM, LANCET_READER}) {
            const QByteArray libraries = shell(QStringLiteral("ldd ") + QString::fromUtf8(program));
            QVERIFY(libraries.contains("libc.so"));
            for (const char* name : {"libtorch", "libc10", "libQt", "libpython"})
                QVERIFY2(!libraries.contains(name), libraries);
        }
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

    /// A model whose names turn the text around, clear the screen and hide.
    static void putHostile(const QString& path) {
        QByteArray text = lancet({"convert", sample("simple_net.pt"), "-o", path}).error;
        QByteArray json = contentOf(path);
        QVERIFY2(json.contains("\"relu\""), text);
        put(path, json.replace("\"relu\"", "\"re\\u202elu\\u001b[2J\\u200b\\nx\""));
    }
    static bool isClean(const QByteArray& text) {
        for (const QChar c : QString::fromUtf8(text))
            if ((c.category() == QChar::Other_Control && c != u'\n' && c != u'\t') ||
                c.category() == QChar::Other_Format)
                return false;
        return true;
    }

    void names_thatHide_areSpelledInTexts_data() {
        QTest::addColumn<QStringList>("words");
        const QString a = "a.json";
        QTest::newRow("diff") << QStringList{"diff", a, sample("simple_net.pt")};
        QTest::newRow("diff of two") << QStringList{"diff", sample("simple_net.pt"), a};
        for (const char* verb : {"info", "modules"}) QTest::newRow(verb) << QStringList{verb, a};
        QTest::newRow("match") << QStringList{"match", a, "--pattern", "resources/samples/patterns.py", "--explain"};
        QTest::newRow("partition") << QStringList{"partition", a, "--support", "rules.json"};
        QTest::newRow("extract") << QStringList{"extract", a, "--nodes", "gone\u202e"};
        QTest::newRow("missing") << QStringList{"info", "gone\u202e.pt"};
        QTest::newRow("usage") << QStringList{"info", "--gone\u202e"};
        QTest::newRow("verb") << QStringList{"gone\u202e"};
    }
    void names_thatHide_areSpelledInTexts() {
        QFETCH(QStringList, words);
        const QTemporaryDir folder;
        putHostile(folder.filePath("a.json"));
        put(folder.filePath("rules.json"), R"({"supported": [{"op": "call_function"}]})");
        for (QString& word : words)
            if (word == "a.json" || word == "rules.json") word = folder.filePath(word);
        const Run run = lancet(words);
        QVERIFY(run.exit >= 0);
        QVERIFY2(isClean(run.out), run.out);
        QVERIFY2(isClean(run.error), run.error);
        if (words.first() != "diff") return; // the name that the node had
        QVERIFY2(run.error.contains("\\u202e"), run.error);
        QVERIFY2(run.error.contains("\\x1b[2J"), run.error);
    }

    void graphs_areExactInFiles_andSpelledOnTerminals() {
        const QTemporaryDir folder;
        const QString path = folder.filePath("a.json");
        putHostile(path);
        for (const QString verb : {"graph", "tabular"}) {
            const QByteArray exact = lancet({verb, path}).out;
            QVERIFY2(exact.contains("re\u202elu\x1b[2J"), exact);
            const QByteArray shown =
                shell("script -qec '" LANCET_PROGRAM " " + verb + " " + path + "' /dev/null < /dev/null");
            QVERIFY2(shown.contains("re\\u202elu\\x1b[2J\\u200b"), shown);
            QVERIFY2(isClean(QByteArray(shown).replace('\r', "")), shown);
        }
    }

    /// Nothing stays in the folder for temporary files, however the program ends.
    void termination_leavesNoTemporaries() {
        const QTemporaryDir place;
        const QString python = shellPython(place.path(), "sleep 30\n");
        const auto left = [&] { return QDir(place.path()).entryList({"lancet-*"}, QDir::AllEntries | QDir::Hidden); };
        for (const int signal : {SIGTERM, SIGKILL}) {
            QProcess process;
            QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
            environment.insert("TMPDIR", place.path());
            environment.insert("LANCET_SANDBOX", "off"); // it runs no shell scripts
            process.setProcessEnvironment(environment);
            process.start(LANCET_PROGRAM, {"trace", "--python", python, "net:Net", "-o", place.filePath("a.pt")});
            QVERIFY(process.waitForStarted());
            QTRY_COMPARE(left().size(), 1);
            ::kill(static_cast<pid_t>(process.processId()), signal);
            QVERIFY(process.waitForFinished(60'000));
            if (signal == SIGTERM) QCOMPARE(process.exitCode(), 6);
            QCOMPARE(left().size(), signal == SIGTERM ? 0 : 1);
        }
        shell("TMPDIR=" + place.path() + " " LANCET_PROGRAM " info resources/samples/simple_net.pt");
        QCOMPARE(left(), QStringList()); // the next start has removed it
    }

    /// Whoever reads the output may have stopped doing so, and what is printed may take long.
    void interrupt_whilePrinting_endsWithCode6_data() {
        QTest::addColumn<int>("signal");
        QTest::newRow("SIGINT") << SIGINT;
        QTest::newRow("SIGTERM") << SIGTERM;
    }
    void interrupt_whilePrinting_endsWithCode6() {
        QFETCH(int, signal);
        const QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("out")), source = folder.filePath(QStringLiteral("net.py"));
        QFile file(source);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("import torch\ndef f(x):\n    for i in range(3000): x = torch.relu(x)\n    return x\n");
        file.close();
        QCOMPARE(::mkfifo(QFile::encodeName(path).constData(), 0600), 0);
        const int pipe = ::open(QFile::encodeName(path).constData(), O_RDWR | O_CLOEXEC);
        QVERIFY(pipe >= 0);
        QProcess process;
        process.setStandardOutputFile(path);
        process.start(QStringLiteral(LANCET_PROGRAM), {QStringLiteral("graph"), source});
        QVERIFY(process.waitForStarted());
        const auto filled = [pipe] {
            int bytes = 0;
            return ::ioctl(pipe, FIONREAD, &bytes) == 0 ? bytes : 0;
        };
        QTRY_VERIFY_WITH_TIMEOUT(filled() >= 60'000, 30'000);
        ::kill(static_cast<pid_t>(process.processId()), signal);
        QVERIFY(process.waitForFinished(60'000));
        ::close(pipe);
        QCOMPARE(process.exitCode(), 6);
        QVERIFY(process.readAllStandardError().contains("cancelled"));
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
        process.write(QByteArray(200'000, ' ')); // more than a pipe holds: it reads, and waits for the rest
        QTRY_COMPARE_WITH_TIMEOUT(process.bytesToWrite(), 0, kPatience * 30'000);
        ::kill(static_cast<pid_t>(process.processId()), signal);
        QVERIFY(process.waitForFinished(kPatience * 5000));
        QCOMPARE(process.exitStatus(), QProcess::NormalExit);
        QCOMPARE(process.exitCode(), 6);
        QVERIFY(process.readAllStandardOutput().contains("\"kind\": \"cancelled\""));
    }

    /// Searching has no end, so it shows no percentage, and what is known by then is the result. A shell between the
    /// terminal and the program could end of Ctrl+C itself.
    void interrupt_whileSearching_printsTheVerdictSoFar() {
        const QTemporaryDir folder;
        const QString fused = folder.filePath("fused.pt");
        const Run pass = lancet({"pass", sample("resnet.pt"), "conv_bn_fuse", "-o", fused});
        QVERIFY2(pass.exit == 0, pass.error);
        QProcess process;
        process.setWorkingDirectory(LANCET_SOURCE_DIR);
        process.start("script", {"-qec",
                                 "exec " LANCET_PROGRAM " verify resources/samples/resnet.pt " + fused +
                                     " --thorough --input x=1x3x32x32",
                                 "/dev/null"});
        QByteArray shown;
        const auto shows = [&](const char* text) { return (shown += process.readAll()).contains(text); };
        QTRY_VERIFY_WITH_TIMEOUT(shows("further inputs"), 60'000);
        process.write("\x03");
        QVERIFY(process.waitForFinished(kPatience * 10'000));
        shown += process.readAll();
        QVERIFY2(process.exitCode() == 0, shown + QByteArray::number(process.exitCode()));
        QVERIFY2(shown.contains("close\r\n"), shown);
        QVERIFY2(!shown.contains("further inputs 0 %"), shown);
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

QTEST_GUILESS_MAIN(TestCliProcess)
#include "tst_cli_process.moc"
