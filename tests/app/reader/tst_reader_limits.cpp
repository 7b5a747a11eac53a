// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/python/tracing/trace_definition.h"
#include "core/reader/reader_client.h"
#include "core/remote/frame.h"
#include "core/textpasses/text_pass.h"
#include "tests/app/reader/reader_fixture.h"

#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <limits>
#include <thread>

// The real lancet-reader: what it hands back is what this process traces itself, and nothing that a source does reaches
// this process.

using namespace fx;
using namespace std::chrono_literals;

/// Nothing that a source does reaches this process: limits, ends and damaged frames.
class TestReaderLimits : public ReaderFixture {
    Q_OBJECT

    /// The children of a process, by /proc.
    static std::vector<pid_t> childrenOf(pid_t process) {
        std::vector<pid_t> out;
        const QString tasks = QStringLiteral("/proc/%1/task").arg(process);
        for (const QString& task : QDir(tasks).entryList(QDir::Dirs | QDir::NoDotAndDotDot))
            for (const QByteArray& word : textOf(tasks + u'/' + task + QStringLiteral("/children")).split(' '))
                if (!word.isEmpty()) out.push_back(word.toInt());
        return out;
    }
    /// The reader among the children of a process, once it follows a source: in its sandbox.
    static pid_t readerOf(pid_t process) {
        const auto late = std::chrono::steady_clock::now() + 30s;
        while (std::chrono::steady_clock::now() < late) {
            for (const pid_t child : childrenOf(process))
                if (textOf(QStringLiteral("/proc/%1/status").arg(child)).contains("Seccomp:\t2")) return child;
            std::this_thread::sleep_for(1ms);
        }
        return -1;
    }
    /// Requests a stop once a reader follows a source, and starts the clock then.
    static std::jthread stoppingLater(std::stop_source& stop, QElapsedTimer& clock) {
        return std::jthread([&] {
            (void)readerOf(::getpid());
            clock.start();
            stop.request_stop();
        });
    }
    static bool isAlive(pid_t process) {
        const QByteArray status = textOf(QStringLiteral("/proc/%1/status").arg(process));
        return !status.isEmpty() && !status.contains("State:\tZ");
    }

private Q_SLOTS:
    void cleanup() { qunsetenv("LANCET_SOURCE_MEMORY"), qunsetenv("LANCET_SOURCE_SECONDS"); }

    void memory_beyondTheLimit_isAnErrorWithTheLine() {
        qputenv("LANCET_SOURCE_MEMORY", "100");
        const std::string why = failureOf(std::string(kHead) + "x = [0]\nfor i in range(60):\n    x += x\n" + kNet);
        QVERIFY2(why.starts_with("reader.memory|the source needs more than 100 MiB of memory|/nowhere/net.py|line 6"),
                 why.c_str());
        QVERIFY2(why.find("x += x") != why.npos, why.c_str());
    }

    void time_beyondTheLimit_isAnErrorWithTheLine() {
        qputenv("LANCET_SOURCE_SECONDS", "0.3");
        QElapsedTimer clock;
        clock.start();
        const std::string why =
            failureOf(std::string(kHead) + "def f(a): return a\nwhile True: n = str(f) + str(f)\n" + kNet);
        QVERIFY2(why.starts_with("reader.time|the source takes more than 0.3 s to follow|/nowhere/net.py|line 5"),
                 why.c_str());
        QVERIFY(clock.elapsed() < 5000 * LANCET_SLOWNESS);
    }

    /// What Lancet brings itself is written in Python: the place is where that was called.
    void time_withinTheLibrary_isThatOfTheCall() {
        qputenv("LANCET_SOURCE_SECONDS", "0.3");
        const std::string why = failureOf(
            std::string(kHead) + "import functools\nn = functools.reduce(lambda a, b: a, iter(int, 1))\n" + kNet);
        QVERIFY2(why.find("|/nowhere/net.py|line 5") != why.npos, why.c_str());
    }

    void cancel_ofAnEndlessSource_endsItAtOnce() {
        std::stop_source stop;
        QElapsedTimer clock;
        const std::jthread later = stoppingLater(stop, clock);
        const std::string why = failureOf(std::string(kHead) + "def f(a): return a\nwhile True: n = str(f) + str(f)\n",
                                          Progress(stop.get_token()));
        QVERIFY2(why.starts_with("app.cancelled"), why.c_str());
        QVERIFY2(clock.elapsed() < 1000 * LANCET_SLOWNESS, qPrintable(QString::number(clock.elapsed())));
        QVERIFY(childrenOf(::getpid()).empty());
    }

    void crash_ofTheReader_isAnErrorOfTheSource() {
        std::jthread later([] {
            const pid_t reader = readerOf(::getpid());
            for (const QString stat = QStringLiteral("/proc/%1/stat").arg(reader);;) // until it runs the loop
                if (textOf(stat).split(' ').value(13).toInt() > 5 || !isAlive(reader)) break;
            if (reader > 0) ::kill(reader, SIGSEGV);
        });
        const std::string why = failureOf(std::string(kHead) + "def f(a): return a\nwhile True: n = str(f) + str(f)\n");
        QVERIFY2(why.starts_with("reader.crashed|the source ended its reader by signal 11"), why.c_str());
        QVERIFY2(why.find("|/nowhere/net.py|line 5") != why.npos, why.c_str());
    }

    void kill_ofTheReader_isAnErrorOfTheSource() {
        std::jthread later([] {
            if (const pid_t reader = readerOf(::getpid()); reader > 0) ::kill(reader, SIGKILL);
        });
        const std::string why = failureOf(std::string(kHead) + "def f(a): return a\nwhile True: n = str(f) + str(f)\n");
        QVERIFY2(why.starts_with("reader.ended|the reader of the source was ended by signal 9"), why.c_str());
    }

    void limits_inAnEditor_areFaultsAtTheLine() {
        qputenv("LANCET_SOURCE_MEMORY", "100");
        const std::string text = std::string(kHead) + "x = [0]\nfor i in range(60):\n    x += x\n" + kNet;
        const SourceTrace trace = client().traceSource("/nowhere/net.py", text, options(), {});
        QCOMPARE(trace.faults.size(), std::size_t{1});
        QVERIFY(trace.faults[0].error.message().is("reader.memory"));
        QCOMPARE(trace.faults[0].file, std::string("/nowhere/net.py"));
        QVERIFY(trace.faults[0].offset >= text.find("x += x"));
        QVERIFY(trace.faults[0].offset < text.find("class Net"));
    }

    void spare_isReady_andUsedByOneSource() {
        auto reader = client(true);
        const auto first = reader.traceText("/nowhere/net.py", std::string(kHead) + kNet, options(), {});
        const std::vector<pid_t> spare = childrenOf(::getpid());
        QCOMPARE(spare.size(), std::size_t{1});
        (void)reader.traceText("/nowhere/net.py", std::string(kHead) + kNet, options(), {});
        const std::vector<pid_t> next = childrenOf(::getpid());
        QCOMPARE(next.size(), std::size_t{1});
        QVERIFY(spare != next);
    }

    void noProgram_isAnErrorThatSaysSo() {
        reader::ReaderClient none({{"/nowhere/lancet-reader"}});
        const std::string why = outcome(
            [&] { return described(*none.traceText("/nowhere/net.py", std::string(kHead) + kNet, options(), {})); });
        QVERIFY2(why.starts_with("reader.cannot_start"), why.c_str());
    }

    /// A reader that was taken over sends what it likes.
    void frames_thatAReaderDoesNotSend_areErrors_data() {
        QTest::addColumn<QByteArray>("sent");
        QTest::addColumn<QString>("code");
        const auto frame = [](remote::FrameKind kind, const std::string& json, const std::string& blob = {}) {
            return QByteArray::fromStdString(remote::frameHeader(kind, 1, json.size(), blob.size()) + json + blob);
        };
        const auto header = [](std::uint64_t json, std::uint64_t blob) {
            return QByteArray::fromStdString(remote::frameHeader(remote::FrameKind::Storages, 1, json, blob));
        };
        using Kind = remote::FrameKind;
        const QString bad = QStringLiteral("reader.bad_message"), much = QStringLiteral("reader.too_much");
        QTest::newRow("no frame") << QByteArray(64, 'x') << bad;
        QTest::newRow("endless blob") << header(2, std::uint64_t{1} << 39) + "{}" << much;
        QTest::newRow("endless JSON") << header(std::uint64_t{1} << 39, 0) + "{}" << much;
        QTest::newRow("2^64") << header(std::uint64_t{0} - 1, std::uint64_t{0} - 1) + "{}" << much;
        QTest::newRow("no JSON") << frame(Kind::Result, "nothing") << QString();
        QTest::newRow("empty result") << frame(Kind::Result, "{}") << QString();
        QTest::newRow("unknown kind") << frame(static_cast<Kind>(999), "{}") << QString();
        QTest::newRow("model that was not sent")
            << frame(Kind::Result, R"({"traced":{"model":{"handle":7},"origins":[]}})") << QString();
        for (const char* row : {R"({"handle":1,"at":0,"bytes":5})", R"({"handle":1,"at":-1,"bytes":-1})",
                                R"({"handle":1,"file":"arena","at":0,"bytes":9223372036854775807})",
                                R"({"handle":1,"file":"arena","at":9223372036854775807,"bytes":9})",
                                R"({"handle":1,"file":"/etc/passwd","at":0,"bytes":9})",
                                R"({"handle":1,"descriptor":0,"at":0,"bytes":9})"})
            QTest::newRow(row) << frame(Kind::Storages, R"({"storages":[)" + std::string(row) + R"(],"descriptors":9})",
                                        "ab") +
                                      frame(Kind::Result, "{}")
                               << QString();
        QTest::newRow("last words")
            << frame(Kind::Crash, R"({"why":77,"signal":-9,"line":-1,"column":-1,"offset":-1,"path":99999999})", "ab")
            << QString();
        QTest::newRow("deep") << frame(Kind::Result, std::string(1 << 20, '[')) << QString();
        QTest::newRow("question") << frame(Kind::Request, R"({"model":{"path":"/etc/passwd"}})") +
                                         frame(Kind::Result, "{}")
                                  << QString();
    }
    void frames_thatAReaderDoesNotSend_areErrors() {
        QFETCH(QByteArray, sent);
        QFETCH(QString, code);
        const QTemporaryDir folder;
        QFile file(folder.filePath(QStringLiteral("frames")));
        QVERIFY(file.open(QIODevice::WriteOnly));
        QVERIFY(file.write(sent) == sent.size());
        file.close();
        reader::ReaderClient taken({{"cat", file.fileName().toStdString()}});
        for (const bool isTyped : {false, true}) {
            const std::string why = outcome([&] {
                if (!isTyped) return described(*taken.traceText("/nowhere/net.py", kNet, options(), {}));
                const SourceTrace trace = taken.traceSource("/nowhere/net.py", kNet, options(), {});
                return trace.faults.empty() ? std::string() : trace.faults.back().error.message().code();
            });
            QVERIFY(!why.empty());
            QVERIFY2(why.starts_with(code.toStdString()), why.c_str());
        }
    }

    void frames_withoutEnd_areStoppedAtTheLimit() {
        qputenv("LANCET_SOURCE_MEMORY", "16");
        const QTemporaryDir folder;
        QFile file(folder.filePath(QStringLiteral("frame")));
        const std::string json = R"({"storages":[],"descriptors":0})";
        QVERIFY(file.open(QIODevice::WriteOnly));
        QVERIFY(file.write(QByteArray::fromStdString(
                    remote::frameHeader(remote::FrameKind::Storages, 1, json.size(), 1 << 20) + json +
                    std::string(1 << 20, 'x'))) > 0);
        file.close();
        reader::ReaderClient endless({{"sh", "-c", "while cat \"$0\"; do :; done", file.fileName().toStdString()}});
        const std::string why =
            outcome([&] { return described(*endless.traceText("/nowhere/net.py", kNet, options(), {})); });
        QVERIFY2(why.starts_with("reader.too_much|lancet-reader sent more than 80.0 MiB"), why.c_str());
        QVERIFY(childrenOf(::getpid()).empty());
    }

    void textsOfTheUser_withoutEnd_areRefused() {
        const Readers readers{std::make_shared<reader::ReaderClient>(reader::ReaderOptions{{LANCET_READER}})};
        qputenv("LANCET_SOURCE_SECONDS", "0.3");
        const auto model = readers.python->traceText("/nowhere/net.py", std::string(kHead) + kNet, options(), {});
        GraphModule passed = *model;
        Warnings warnings;
        const std::string pass = "def endless(gm):\n    f = str\n    while True: n = str(f) + str(f)\n";
        const std::string whyNot = outcome([&] {
            runPasses(passed, {textPass("/nowhere/pass.py", pass, readers)}, warnings);
            return std::string("no failure");
        });
        QVERIFY2(whyNot.find("the source takes more than 0.3 s to follow") != whyNot.npos, whyNot.c_str());
        QVERIFY2(whyNot.find("|/nowhere/pass.py|line 3") != whyNot.npos, whyNot.c_str());
        QCOMPARE(described(passed), described(*model));
        const std::string good = "def harmless(gm):\n    for node in gm.graph.nodes:\n        node.name\n";
        runPasses(passed, {textPass("/nowhere/pass.py", good, readers)}, warnings);
        const std::string pattern =
            "def pattern(x):\n    n = 0\n    for i in range(10**9):\n        n = n + i\n    return x + n\n";
        const std::string why = outcome([&] {
            (void)readers.python->traceDefinition(pattern, {"pattern", false}, {});
            return std::string("no failure");
        });
        QVERIFY2(why != "no failure", why.c_str());
    }

    /// Each is short; all together would take minutes.
    void manyPasses_areCancelledAtOnce() {
        const Readers readers{std::make_shared<reader::ReaderClient>(reader::ReaderOptions{{LANCET_READER}})};
        GraphModule model = *readers.python->traceText("/nowhere/net.py", std::string(kHead) + kNet, options(), {});
        const GraphModule before = model;
        const std::string pass = "def slow(gm):\n    for i in range(300000): i + 1\n";
        const std::vector<PassRequest> passes(1000, textPass("/nowhere/pass.py", pass, readers));
        qint64 least = std::numeric_limits<qint64>::max(); // others use this machine, too
        for (int attempt = 0; attempt < 3; ++attempt) {
            std::stop_source stop;
            QElapsedTimer clock;
            const std::jthread later = stoppingLater(stop, clock);
            Warnings warnings;
            QVERIFY_THROWS_EXCEPTION(Error, runPasses(model, passes, warnings, Progress(stop.get_token())));
            least = std::min(least, clock.elapsed());
        }
        QVERIFY2(least < 200 * LANCET_SLOWNESS, qPrintable(QString::number(least)));
        QCOMPARE(described(model), described(before));
        QVERIFY(childrenOf(::getpid()).empty());
    }

    /// The reader has given up its rights before it follows a source, and does not outlive who asked.
    void reader_isInTheSandbox_andEndsWithItsClient() {
        const QTemporaryDir folder;
        QFile file(folder.filePath(QStringLiteral("net.py")));
        QVERIFY(file.open(QIODevice::WriteOnly));
        QVERIFY(file.write("def f(a): return a\nwhile True: n = str(f) + str(f)\n") > 0);
        file.close();
        QProcess lancet;
        lancet.start(QStringLiteral(LANCET_PROGRAM), {QStringLiteral("info"), file.fileName()});
        QVERIFY(lancet.waitForStarted());
        std::vector<pid_t> readers;
        QTRY_VERIFY(!(readers = childrenOf(static_cast<pid_t>(lancet.processId()))).empty());
        QCOMPARE(readers.size(), std::size_t{1});
        const QString status = QStringLiteral("/proc/%1/status").arg(readers[0]);
        QTRY_VERIFY(textOf(status).contains("NoNewPrivs:\t1"));
        QTRY_VERIFY(textOf(status).contains("Seccomp:\t2"));
        lancet.kill();
        lancet.waitForFinished();
        QTRY_VERIFY(!isAlive(readers[0]));
    }

    void interrupt_ofLancet_endsAnEndlessSource() {
        const QTemporaryDir folder;
        QFile file(folder.filePath(QStringLiteral("net.py")));
        QVERIFY(file.open(QIODevice::WriteOnly));
        QVERIFY(file.write("def f(a): return a\nwhile True: n = str(f) + str(f)\n") > 0);
        file.close();
        for (const int signal : {SIGINT, SIGTERM}) {
            QProcess lancet;
            lancet.start(QStringLiteral(LANCET_PROGRAM), {QStringLiteral("info"), file.fileName()});
            QVERIFY(lancet.waitForStarted());
            QVERIFY(readerOf(static_cast<pid_t>(lancet.processId())) > 0);
            QElapsedTimer clock;
            clock.start();
            ::kill(static_cast<pid_t>(lancet.processId()), signal);
            QVERIFY(lancet.waitForFinished(60'000));
            QVERIFY2(clock.elapsed() < 2000 * LANCET_SLOWNESS, qPrintable(QString::number(clock.elapsed())));
            QCOMPARE(lancet.exitCode(), 6);
        }
    }
};

QTEST_GUILESS_MAIN(TestReaderLimits)
#include "tst_reader_limits.moc"
