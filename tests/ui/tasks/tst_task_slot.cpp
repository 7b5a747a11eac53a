// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tasks/task_slot.h"

#include <QSignalSpy>
#include <QTest>
#include <QThread>
#include <QTimer>

#include <atomic>

using ui::TaskSlot;

namespace {

/// Waits until stopped, as an honest long task does; counts itself.
int waitForStop(const fx::Progress& progress, std::atomic<int>& stopped) {
    while (!progress.stopRequested()) QThread::msleep(1);
    ++stopped;
    progress.check();
    return 0;
}

/// Ends what runs, and delivers what it posted.
void deliverAll() {
    ui::waitForCalls(ui::taskPool());
    QCoreApplication::processEvents();
}

} // namespace

class TestTaskSlot : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void start_result_arrivesOnTheGuiThread() {
        TaskSlot<int> slot("test.sum");
        QObject listener;
        int result = 0;
        QThread* worked = nullptr;
        QThread* delivered = nullptr;
        slot.start(
            [&](const fx::Progress&) {
                worked = QThread::currentThread();
                return 42;
            },
            &listener, [&](int value) { result = value, delivered = QThread::currentThread(); });
        QVERIFY(slot.running());
        QTRY_COMPARE(result, 42);
        QVERIFY(!slot.running());
        QCOMPARE(delivered, thread());
        QVERIFY(worked != thread());
    }
    void start_moveOnlyResult_isHandedOver() {
        TaskSlot<std::unique_ptr<int>> slot("test.move");
        std::unique_ptr<int> result;
        slot.start([](const fx::Progress&) { return std::make_unique<int>(7); }, this,
                   [&](std::unique_ptr<int> value) { result = std::move(value); });
        QTRY_VERIFY(result);
        QCOMPARE(*result, 7);
    }
    void start_again_dropsTheOlderResult() {
        TaskSlot<int> slot("test.restart");
        std::atomic<int> stopped = 0;
        QList<int> results;
        const auto done = [&](int value) { results += value; };
        for (int i = 0; i < 5; ++i)
            slot.start([&](const fx::Progress& p) { return waitForStop(p, stopped); }, this, done,
                       [&](const fx::Error&) { results += -1; });
        slot.start([](const fx::Progress&) { return 6; }, this, done);
        QTRY_COMPARE(results, QList<int>{6});
        deliverAll();
        QCOMPARE(results, QList<int>{6});
    }
    void start_resultAlreadyPosted_isStillDropped() {
        TaskSlot<int> slot("test.posted");
        QList<int> results;
        slot.start([](const fx::Progress&) { return 1; }, this, [&](int value) { results += value; });
        ui::waitForCalls(ui::taskPool()); // posted, not yet delivered
        slot.start([](const fx::Progress&) { return 2; }, this, [&](int value) { results += value; });
        QTRY_COMPARE(results, QList<int>{2});
    }
    void cancel_stopsWithin100msAndCallsNobody() {
        TaskSlot<int> slot("test.cancel");
        std::atomic<int> stopped = 0;
        std::atomic<bool> begun = false;
        int calls = 0;
        slot.start(
            [&](const fx::Progress& p) {
                begun = true;
                return waitForStop(p, stopped);
            },
            this, [&](int) { ++calls; }, [&](const fx::Error&) { ++calls; });
        QTRY_VERIFY(begun);
        QElapsedTimer timer;
        timer.start();
        slot.cancel();
        QVERIFY(!slot.running());
        QTRY_COMPARE(stopped, 1);
        QVERIFY(timer.elapsed() < 100 * LANCET_SLOWNESS);
        deliverAll();
        QCOMPARE(calls, 0);
    }
    void destructor_whileRunning_stopsTheWork() {
        std::atomic<int> stopped = 0;
        std::atomic<bool> begun = false;
        {
            TaskSlot<int> slot("test.scope");
            slot.start(
                [&](const fx::Progress& p) {
                    begun = true;
                    return waitForStop(p, stopped);
                },
                this, [](int) {});
            QTRY_VERIFY(begun);
        }
        QTRY_COMPARE(stopped, 1);
    }
    void listener_destroyed_isNotCalled() {
        TaskSlot<int> slot("test.listener");
        auto listener = std::make_unique<QObject>();
        int calls = 0;
        slot.start([](const fx::Progress&) { return 1; }, listener.get(), [&](int) { ++calls; });
        ui::waitForCalls(ui::taskPool());
        listener.reset();
        QTRY_VERIFY(!slot.running());
        QCOMPARE(calls, 0);
    }
    void error_fxError_keepsItsFields() {
        TaskSlot<int> slot("test.error");
        std::optional<fx::Error> error;
        slot.start(
            [](const fx::Progress&) -> int {
                throw fx::Error(fx::ErrorKind::File, fx::Message::received({}, {}, "broken")).at("line 3");
            },
            this, [](int) { QFAIL("no result expected"); }, [&](const fx::Error& e) { error = e; });
        QTRY_VERIFY(error);
        QVERIFY(error->kind() == fx::ErrorKind::File);
        QCOMPARE(error->where, std::string("line 3"));
        QVERIFY(!slot.running());
    }
    void error_otherExceptions_comeAsFxError() {
        TaskSlot<int> slot("test.error");
        QStringList errors;
        const auto note = [&](const fx::Error& e) { errors += e.what(); };
        slot.start([](const fx::Progress&) -> int { throw std::runtime_error("bad size"); }, this, [](int) {}, note);
        QTRY_COMPARE(errors, QStringList{"internal error: bad size"});
        slot.start([](const fx::Progress&) -> int { throw 5; }, this, [](int) {}, note);
        QTRY_COMPARE(errors.size(), 2);
    }
    void progress_manyReports_areMergedAndEndWithTheLast() {
        TaskSlot<int> slot("test.progress");
        int calls = 0;
        double last = 0;
        bool finished = false;
        slot.start(
            [](const fx::Progress& p) {
                for (int i = 1; i <= 100000; ++i) p.report("reading", i / 100000.0);
                return 0;
            },
            this, [&](int) { finished = true; }, {},
            [&](const QString& what, double done) {
                QCOMPARE(what, QString("reading"));
                QVERIFY(!finished);
                ++calls, last = done;
            });
        QTRY_VERIFY(finished);
        QCOMPARE(last, 1.0);
        QVERIFY(calls < 50000);
    }
    void watchdog_slowCallback_isNamed() {
        ui::EventLoopWatchdog watchdog(this, 50);
        QString scope;
        connect(&watchdog, &ui::EventLoopWatchdog::gapped, this, [&](double millis, const QString& name) {
            QVERIFY(millis >= 70);
            scope = name;
        });
        TaskSlot<int> slot("test.slow");
        QTest::ignoreMessage(QtWarningMsg, QRegularExpression("held up for \\d+ ms in test.slow"));
        slot.start([](const fx::Progress&) { return 1; }, this, [](int) { QThread::msleep(70); });
        QTRY_COMPARE(scope, QString("test.slow"));
        QVERIFY(watchdog.longestGap() >= 70);
    }
    void watchdog_idleLoop_reportsNoGap() {
        ui::EventLoopWatchdog watchdog(this, 1e9);
        QTimer waking;
        waking.start(200);
        QSignalSpy woken(&waking, &QTimer::timeout);
        double least = 1e9; // the machine may be busy
        for (int i = 0; i < 5 && least >= 100; ++i) {
            watchdog.reset();
            QVERIFY(woken.wait(60'000)); // waiting is not working
            least = std::min(least, watchdog.longestGap());
        }
        QVERIFY2(least < 100, qPrintable(QString::number(least)));
    }
};

QTEST_GUILESS_MAIN(TestTaskSlot)
#include "tst_task_slot.moc"
