// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/journal/recovery.h"
#include "core/layout/child_process.h"
#include "tests/json_steps.h"
#include "tests/sanitized.h"
#include "tests/ui/support/models.h"
#include "ui/run/run_center.h"
#include "ui/shell/document_page.h"
#include "ui/shell/run_window.h"
#include "ui/shell/settings.h"
#include "ui/shell/window/main_window.h"
#include "ui/tasks/termination.h"
#include "ui/timing/timing_session.h"

#include <QApplication>
#include <QDir>
#include <QElapsedTimer>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>
#include <QUuid>

#include <csignal>
#include <cstdio>
#include <thread>

using namespace ui;

namespace {

constexpr auto kMark = "LANCET_TEST_EXIT";

void onPool(std::function<void()> work) { ui::taskPool().start(std::move(work)); }

bool isBusy(MainWindow& window) { return window.run().worker().state() == WorkerService::State::Busy; }

#ifdef LANCET_WORKER
/// A model that takes half a minute is verified or timed by a real worker.
void beginLongRun(MainWindow& window, bool times) {
    WorkerSettings worker;
    worker.command = QStringLiteral(LANCET_WORKER);
    window.run().worker().setSettings(worker);
    window.openModule(testing::matrixPower(40), QStringLiteral("long"));
    RunSession& run = *window.run().session();
    run.setAutomatic(false);
    if (!QTest::qWaitFor([&] { return !run.guesses().empty(); }, 20'000)) return;
    fx::InputDescription inputs = run.inputs();
    inputs.inputs[0].sizes = {3000, 3000};
    inputs.inputs[0].dtype = "torch.float32";
    run.setInputs(inputs);
    window.currentDocument()->versions().edit(
        QStringLiteral("Insert relu"),
        R"J([{"step": "insert_after", "node": "matmul", "op": "call_function", "target": "torch.relu", "args": )J"
        R"J([{"node": "matmul"}], "rewire_users": true}])J"_steps);
    window.currentDocument()->setSaved(window.currentDocument()->module());
    times ? TimingSession::of(run, window.run().worker())->start() : run.verify();
    (void)QTest::qWaitFor([&] { return isBusy(window); }, 60'000);
}
#endif

/// What is going on when the window is closed.
void begin(const QString& scenario, MainWindow& window) {
#ifdef LANCET_WORKER
    if (scenario == QLatin1String("long verification")) beginLongRun(window, false);
    if (scenario == QLatin1String("long timing")) beginLongRun(window, true);
#endif
    if (scenario == QLatin1String("layout of 50,000 nodes"))
        window.openModule(testing::chain(50'000), QStringLiteral("huge"));
    if (scenario == QLatin1String("task")) // that never looks at its stop request
        onPool([] { std::this_thread::sleep_for(std::chrono::hours(1)); });
    if (scenario == QLatin1String("busy pool"))
        for (int i = 0; i < 50; ++i) onPool([] { std::this_thread::sleep_for(std::chrono::seconds(30)); });
    if (scenario == QLatin1String("child"))
        onPool([] { fx::runFilter({"sh", "-c", "trap '' TERM; sleep 1000"}, "", std::chrono::hours(1)); });
    if (scenario == QLatin1String("hanging worker")) {
        WorkerSettings worker;
        worker.command = QStringLiteral("sh -c \"trap '' TERM INT; while :; do sleep 1; done\"");
        window.run().worker().setSettings(worker);
    }
    if (scenario.startsWith(QLatin1String("signal")))
        window.currentDocument()->versions().edit(QStringLiteral("Rename mul"),
                                                  R"J([{"step": "rename", "node": "mul", "name": "scaled"}])J"_steps);
    if (scenario == QLatin1String("edited")) {
        window.currentDocument()->versions().edit(QStringLiteral("Rename mul"),
                                                  R"J([{"step": "rename", "node": "mul", "name": "scaled"}])J"_steps);
        window.currentDocument()->setSaved(window.currentDocument()->module());
        onPool([] { std::this_thread::sleep_for(std::chrono::hours(1)); });
    }
}

/// Opens a window on a model, begins something, says so and is closed.
int runWindow(const QString& scenario, const QString& folder) {
    Settings settings(folder + QStringLiteral("/settings.ini"));
    MainWindow window(settings);
    window.show();
    window.openFile(QStringLiteral(LANCET_SOURCE_DIR "/resources/samples/simple_net.pt"));
    if (scenario != QLatin1String("loading") &&
        !QTest::qWaitFor([&] { return window.currentDocument()->state() == Document::State::Ready; }, 30'000))
        return 1;
    begin(scenario, window);
    const bool lays = scenario.startsWith(QLatin1String("layout")), runs = scenario.startsWith(QLatin1String("long"));
    const int begun = scenario == QLatin1String("loading") || lays ? 0 : runs ? 2000 : 400; // ms, in the middle of it
    QTimer::singleShot(begun, &window, [&window, lays, runs, scenario] {
        const bool isOver = (lays && window.currentDocument()->picture().scene()) || (runs && !isBusy(window));
        std::puts(isOver ? "too late" : "closing");
        std::fflush(stdout);
        if (scenario == QLatin1String("signal while stuck")) std::this_thread::sleep_for(std::chrono::minutes(1));
        else if (!scenario.startsWith(QLatin1String("signal"))) window.close();
    });
    return runUntilClosed(window, settings);
}

/// Processes that were started with the mark in their environment.
QStringList marked(const QByteArray& mark) {
    QStringList found;
    for (const QString& process : QDir(QStringLiteral("/proc")).entryList(QDir::Dirs)) {
        QFile environment(QStringLiteral("/proc/%1/environ").arg(process));
        if (environment.open(QIODevice::ReadOnly) && environment.readAll().contains(mark)) found << process;
    }
    return found;
}

} // namespace

/// A window that is closed ends its process within a second, with all that it has started, whatever is running.
class TestExit : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void close_endsWithinASecond_andLeavesNothing_data() {
        QTest::addColumn<QString>("scenario");
        for (const char* scenario :
             {"idle", "loading", "task", "busy pool", "child", "hanging worker", "edited", "layout of 50,000 nodes"})
            QTest::newRow(scenario) << QString::fromLatin1(scenario);
#ifdef LANCET_WORKER
        for (const char* scenario : {"long verification", "long timing"})
            QTest::newRow(scenario) << QString::fromLatin1(scenario);
#endif
    }
    void close_endsWithinASecond_andLeavesNothing() {
        QFETCH(QString, scenario);
        const QTemporaryDir folder;
        const QByteArray mark = QUuid::createUuid().toByteArray(QUuid::WithoutBraces);
        QProcess window;
        auto environment = QProcessEnvironment::systemEnvironment();
        environment.insert(QLatin1String(kMark), QString::fromLatin1(mark));
        environment.insert(QStringLiteral("XDG_STATE_HOME"), folder.path());
        window.setProcessEnvironment(environment);
        window.setProcessChannelMode(QProcess::ForwardedErrorChannel);
        window.start(QCoreApplication::applicationFilePath(), {QStringLiteral("--window"), scenario, folder.path()});
        QVERIFY(window.waitForStarted());
        while (!window.canReadLine()) QVERIFY(window.waitForReadyRead(60'000));
        QCOMPARE(window.readLine().trimmed(), QByteArray("closing"));
        QElapsedTimer timer;
        timer.start();
        QVERIFY(window.waitForFinished(60'000));
        const qint64 took = timer.elapsed();
        QCOMPARE(window.exitStatus(), QProcess::NormalExit);
        QCOMPARE(window.exitCode(), 0);
        QVERIFY2(took < 1000 * kPatience, qPrintable(QString::number(took)));
        QTRY_VERIFY2(marked(mark).isEmpty(), qPrintable(marked(mark).join(u' ')));
        // What was set and done is where it belongs.
        QVERIFY(!Settings(folder.filePath(QStringLiteral("settings.ini"))).windowGeometry().isEmpty());
        QVERIFY(fx::orphanedJournals((folder.path() + QStringLiteral("/lancet/journals")).toStdString()).empty());
    }

    /// SIGTERM ends the window in order, without a question: edits stay in the journal, temporary files go.
    void signal_endsInOrder_andKeepsTheJournal_data() {
        QTest::addColumn<QString>("scenario");
        QTest::addColumn<int>("signal");
        QTest::newRow("SIGTERM") << QStringLiteral("signal") << SIGTERM;
        QTest::newRow("SIGHUP") << QStringLiteral("signal") << SIGHUP;
        QTest::newRow("stuck") << QStringLiteral("signal while stuck") << SIGTERM;
    }
    void signal_endsInOrder_andKeepsTheJournal() {
        QFETCH(QString, scenario);
        QFETCH(int, signal);
        const QTemporaryDir folder;
        QProcess window;
        auto environment = QProcessEnvironment::systemEnvironment();
        environment.insert(QStringLiteral("XDG_STATE_HOME"), folder.path());
        environment.insert(QStringLiteral("TMPDIR"), folder.path());
        window.setProcessEnvironment(environment);
        window.setProcessChannelMode(QProcess::ForwardedErrorChannel);
        window.start(QCoreApplication::applicationFilePath(), {QStringLiteral("--window"), scenario, folder.path()});
        QVERIFY(window.waitForStarted());
        while (!window.canReadLine()) QVERIFY(window.waitForReadyRead(60'000));
        QElapsedTimer timer;
        timer.start();
        QCOMPARE(::kill(static_cast<pid_t>(window.processId()), signal), 0);
        QVERIFY(window.waitForFinished(60'000));
        const bool isStuck = scenario != QLatin1String("signal");
        QVERIFY2(timer.elapsed() < (isStuck ? 3000 : 1000) * kPatience, qPrintable(QString::number(timer.elapsed())));
        QCOMPARE(window.exitStatus(), isStuck ? QProcess::CrashExit : QProcess::NormalExit);
        if (!isStuck) QCOMPARE(window.exitCode(), kTerminated);
        const auto left = fx::orphanedJournals((folder.path() + QStringLiteral("/lancet/journals")).toStdString());
        QCOMPARE(left.size(), std::size_t{1});
        if (!isStuck)
            QCOMPARE(QDir(folder.path()).entryList({QStringLiteral("lancet-*")}, QDir::AllEntries), QStringList());
    }
};

int main(int argc, char** argv) {
    QApplication application(argc, argv);
    if (argc == 4 && qstrcmp(argv[1], "--window") == 0)
        return runWindow(QString::fromLocal8Bit(argv[2]), QString::fromLocal8Bit(argv[3]));
    TestExit test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_exit.moc"
