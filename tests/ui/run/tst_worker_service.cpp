// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/run/worker_dialog.h"
#include "ui/run/worker_service.h"

#include <QElapsedTimer>
#include <QLabel>
#include <QLineEdit>
#include <QSignalSpy>
#include <QTest>

#include <csignal>

using namespace ui;
using fx::remote::RunRequest;
using fx::remote::RunResult;
using Kind = WorkerService::Kind;

namespace {
RunRequest sampleRun() {
    RunRequest request;
    request.model = LANCET_SOURCE_DIR "/resources/samples/resnet.pt";
    request.random = {{"x", {1, 3, 64, 64}, "torch.float32", 0}};
    return request;
}
RunResult runSample(const WorkerCall& call) { return call.client.run(sampleRun(), call.timeout, call.progress); }
/// A request that makes the worker die or hang, see app/worker/main.cpp.
std::function<int(const WorkerCall&)> fault(const char* how) {
    return [how](const WorkerCall& call) {
        call.client.start(call.progress);
        call.client.call({fx::remote::FrameKind::Request,
                          call.client.nextNumber(),
                          std::string(R"({"verb": "fault", "what": ")") + how + "\"}",
                          {},
                          {}},
                         call.timeout, call.progress);
        return 0;
    };
}
} // namespace

class TestWorkerService : public QObject {
    Q_OBJECT

    WorkerSettings m_settings{qEnvironmentVariable("LANCET_WORKER", QStringLiteral(LANCET_WORKER)), true, 0, 120};

private Q_SLOTS:
    void initTestCase() { qputenv("LANCET_WORKER_FAULTS", "1"); }

    /// Where nothing holds models, the window runs none before the user allows it.
    void withoutSandbox_requestsAreRefused_untilTheyAreAllowed() {
        qputenv("LANCET_SANDBOX", "off");
        const auto restored = qScopeGuard([] { qunsetenv("LANCET_SANDBOX"); });
        WorkerService service(m_settings);
        QString code;
        bool ran = false;
        const auto ask = [&] {
            service.request<int>(
                {Kind::Shapes, this}, [](const WorkerCall&) { return 1; }, this, [&](int) { ran = true; },
                [&](const fx::Error& error) { code = QString::fromStdString(std::string(error.message().code())); });
        };
        ask();
        QTRY_COMPARE_WITH_TIMEOUT(code, QStringLiteral("window.no_sandbox"), 60000);
        QVERIFY(!ran);
        QVERIFY(!service.isHeld());
        QVERIFY(!service.isAllowed());
        QSignalSpy allowed(&service, &WorkerService::allowed);
        service.allow();
        QCOMPARE(allowed.size(), 1);
        QVERIFY(service.isAllowed());
        ask();
        QTRY_VERIFY_WITH_TIMEOUT(ran, 60000);
    }

    void request_ofAModel_comesBackOnTheGuiThread() {
        WorkerService service(m_settings);
        service.warmUp();
        bool done = false;
        service.request<RunResult>({Kind::Values, this}, runSample, this, [&](const RunResult& result) {
            QCOMPARE(QThread::currentThread(), thread());
            QVERIFY(result.output.tensor);
            done = true;
        });
        QVERIFY(service.isPending({Kind::Values, this}));
        QTRY_VERIFY_WITH_TIMEOUT(done, 60000);
        QVERIFY(!service.isPending({Kind::Values, this}));
        QVERIFY(!service.machine().isEmpty());
        QTRY_COMPARE(service.state(), WorkerService::State::Ready);
    }

    void request_sameKeyAgain_onlyTheNewestIsAnswered() {
        WorkerService service(m_settings);
        QList<int> answered;
        for (int i = 0; i < 5; ++i)
            service.request<RunResult>({Kind::Verify, this}, runSample, this,
                                       [&, i](const RunResult&) { answered << i; });
        // Requests run one after the other: this one ends last.
        service.request<RunResult>({Kind::Probe, this}, runSample, this, [&](const RunResult&) { answered << 5; });
        QTRY_VERIFY_WITH_TIMEOUT(answered.contains(5), 60000);
        QCOMPARE(answered, (QList<int>{4, 5}));
    }

    void service_goesWhileAReplacedRequestHangs_endsAtOnce() {
        QElapsedTimer timer;
        {
            WorkerService service(m_settings);
            service.request<int>({Kind::Values, this}, fault("loop"), this, [](int) {});
            QTRY_COMPARE_WITH_TIMEOUT(service.state(), WorkerService::State::Busy, 60000);
            service.request<int>({Kind::Values, this}, fault("loop"), this, [](int) {});
            timer.start();
        }
        QVERIFY2(timer.elapsed() < 5000 * LANCET_SLOWNESS, qPrintable(QString::number(timer.elapsed())));
    }

    void request_waiting_theOneThatIsLookedAtComesFirst() {
        WorkerService service(m_settings);
        QStringList order;
        const auto ask = [&](Kind kind, const char* name) {
            service.request<RunResult>({kind, this}, runSample, this,
                                       [&order, name](const RunResult&) { order << QLatin1String(name); });
        };
        service.request<RunResult>({Kind::Shapes, nullptr}, runSample, this,
                                   [](const RunResult&) {}); // the others wait for it
        ask(Kind::Timing, "timing");
        ask(Kind::Verify, "verify");
        ask(Kind::Values, "values");
        QTRY_COMPARE_WITH_TIMEOUT(
            order, QStringList({QStringLiteral("values"), QStringLiteral("verify"), QStringLiteral("timing")}), 60000);
    }

    void worker_thatDies_isAnErrorAndTheNextRequestHasAnother_data() {
        QTest::addColumn<QByteArray>("how");
        for (const char* how : {"abort", "exit", "kill", "garbage"}) QTest::newRow(how) << QByteArray(how);
    }
    void worker_thatDies_isAnErrorAndTheNextRequestHasAnother() {
        QFETCH(QByteArray, how);
        WorkerService service(m_settings);
        QSignalSpy died(&service, &WorkerService::died);
        QString why;
        bool done = false;
        service.request<int>(
            {Kind::Verify, this}, fault(how.constData()), this, [](int) { QFAIL("a dead worker answered"); },
            [&](const fx::Error& error) { why = QString::fromUtf8(error.what()); });
        QTRY_VERIFY_WITH_TIMEOUT(!why.isEmpty(), 60000);
        QTRY_COMPARE(died.size(), 1);
        service.request<RunResult>({Kind::Verify, this}, runSample, this, [&](const RunResult&) { done = true; });
        QTRY_VERIFY_WITH_TIMEOUT(done, 60000);
    }

    void request_replaced_endsAWorkerThatHangs() {
        WorkerService service(m_settings);
        QSignalSpy states(&service, &WorkerService::stateChanged);
        QSignalSpy died(&service, &WorkerService::died);
        bool done = false;
        service.request<int>({Kind::Verify, this}, fault("loop"), this, [](int) {});
        QTRY_COMPARE_WITH_TIMEOUT(service.state(), WorkerService::State::Busy, 60000);
        service.request<RunResult>({Kind::Verify, this}, runSample, this, [&](const RunResult&) { done = true; });
        QTRY_VERIFY_WITH_TIMEOUT(done, 60000);
        QCOMPARE(died.size(), 0); // it was ended on purpose
    }

    void cancel_andTimeout_endTheRequest() {
        WorkerSettings hasty = m_settings;
        hasty.timeoutSeconds = 1;
        WorkerService service(hasty);
        bool called = false;
        service.request<int>(
            {Kind::Timing, this}, fault("loop"), this, [&](int) { called = true; },
            [&](const fx::Error&) { called = true; });
        QTRY_COMPARE_WITH_TIMEOUT(service.state(), WorkerService::State::Busy, 60000);
        service.cancel({Kind::Timing, this});
        QVERIFY(!service.isPending({Kind::Timing, this}));
        fx::ErrorKind kind = fx::ErrorKind::Usage;
        service.request<int>(
            {Kind::Verify, this}, fault("loop"), this, [](int) {},
            [&](const fx::Error& error) { kind = error.kind(); });
        QTRY_COMPARE_WITH_TIMEOUT(kind, fx::ErrorKind::Cancelled, 60000);
        QVERIFY(!called);
    }

    void settings_withACommandThatIsNotThere_sayWhyAndCanBeMended() {
        WorkerSettings wrong = m_settings;
        wrong.command = QStringLiteral("/nowhere/lancet-worker");
        WorkerService service(wrong);
        service.warmUp();
        QTRY_COMPARE_WITH_TIMEOUT(service.state(), WorkerService::State::Failed, 60000);
        QVERIFY2(service.failure().contains(QStringLiteral("/nowhere")), qPrintable(service.failure()));
        service.setSettings(m_settings);
        QTRY_VERIFY2_WITH_TIMEOUT(service.state() == WorkerService::State::Ready, qPrintable(service.failure()), 60000);
    }

    void service_endsWhileItRuns_noCallback() {
        bool called = false;
        {
            WorkerService service(m_settings);
            service.request<int>(
                {Kind::Verify, this}, fault("loop"), this, [&](int) { called = true; },
                [&](const fx::Error&) { called = true; });
            QTRY_COMPARE_WITH_TIMEOUT(service.state(), WorkerService::State::Busy, 60000);
        }
        QCoreApplication::processEvents(); // no work runs any more
        QVERIFY(!called);
    }

    void dialog_tryIt_showsTheMachineOrWhyNot() {
        WorkerDialog dialog(m_settings);
        dialog.setAttribute(Qt::WA_DeleteOnClose, false);
        dialog.tryIt();
        QTRY_VERIFY2_WITH_TIMEOUT(dialog.answer()->text().startsWith(QStringLiteral("The worker is running")),
                                  qPrintable(dialog.answer()->text()), 60000);
        dialog.command()->setText(QStringLiteral("/nowhere/lancet-worker --fast"));
        dialog.tryIt();
        QTRY_VERIFY2_WITH_TIMEOUT(dialog.answer()->text().startsWith(QStringLiteral("Cannot use this worker")),
                                  qPrintable(dialog.answer()->text()), 60000);
        QCOMPARE(dialog.settings().options().command, (std::vector<std::string>{"/nowhere/lancet-worker", "--fast"}));
    }
};

QTEST_MAIN(TestWorkerService)
#include "tst_worker_service.moc"
