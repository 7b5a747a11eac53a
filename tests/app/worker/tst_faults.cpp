// SPDX-License-Identifier: GPL-3.0-or-later
// Faults of every kind, one after another: none reaches the one who asks. LANCET_FAULTS=200 injects 200 of each kind; 2
// otherwise.
#include "core/remote/worker_client.h"

#include <QElapsedTimer>
#include <QTest>
#include <algorithm>
#include <csignal>
#include <thread>

using namespace fx;
using namespace fx::remote;
using namespace std::chrono_literals;

namespace {

constexpr auto kSecond = 1000;
constexpr auto kPatience = 150ms; ///< with a request that never ends

int rounds() {
    const int asked = qEnvironmentVariableIntValue("LANCET_FAULTS");
    return asked > 0 ? asked : 2;
}

/// Milliseconds, the worst and the middle one.
struct Times {
    std::vector<qint64> all;
    qint64 worst() const { return *std::max_element(all.begin(), all.end()); }
    qint64 median() {
        std::nth_element(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2), all.end());
        return all[all.size() / 2];
    }
};

} // namespace

class TestFaults : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { qputenv("LANCET_WORKER_FAULTS", "1"); }

    void workerThatCannotRun_isNotTheFaultOfAModel() {
        try {
            WorkerClient({{"/bin/false"}}).start();
            QFAIL("it starts");
        } catch (const Error& error) {
            QVERIFY2(error.message().is("remote.did_not_start"), error.what());
            QVERIFY(error.hint.find("LibTorch") != std::string::npos);
        }
    }

    void workerEndedFromOutside_isNotTheFaultOfAModel() {
        WorkerClient worker({{LANCET_WORKER}, true, 0});
        worker.start();
        std::jthread killer([id = worker.processId()] {
            std::this_thread::sleep_for(300ms);
            ::kill(id, SIGTERM);
        });
        try {
            worker.call({FrameKind::Request, worker.nextNumber(), R"({"verb": "fault", "what": "loop"})", {}, {}}, 20s,
                        {});
            QFAIL("it goes on");
        } catch (const Error& error) {
            QVERIFY2(error.message().is("remote.ended"), error.what());
            QVERIFY2(error.message().argument("how").find("signal 15") != std::string::npos, error.what());
            QVERIFY2(error.hint.find("LibTorch") == std::string::npos, error.hint.c_str());
        }
    }

    void fault_ofEveryKind_isAMessageAndANewWorkerWithinASecond_data() {
        QTest::addColumn<QByteArray>("how");
        for (const char* how :
             {"abort", "segv", "kill", "exit", "loop", "allocate", "one allocation", "garbage", "print", "stop"})
            QTest::newRow(how) << QByteArray(how);
    }
    void fault_ofEveryKind_isAMessageAndANewWorkerWithinASecond() {
        QFETCH(QByteArray, how);
        WorkerOptions options{{LANCET_WORKER}, true, std::uint64_t{1} << 30, true};
        WorkerClient worker(options);
        worker.start();
        const bool hangs = how == "loop" || how == "stop";
        Times messages, workers;
        for (int i = 0; i < rounds(); ++i) {
            QTRY_VERIFY_WITH_TIMEOUT(worker.spareReady(), 30'000);
            QElapsedTimer timer;
            timer.start();
            bool failed = false;
            try {
                worker.call({FrameKind::Request,
                             worker.nextNumber(),
                             "{\"verb\": \"fault\", \"what\": \"" + how.toStdString() + "\"}",
                             {},
                             {}},
                            hangs ? kPatience : 60s, {});
            } catch (const Error& error) {
                failed = true;
                QCOMPARE(error.kind(), hangs ? ErrorKind::Cancelled : ErrorKind::Run);
            }
            QCOMPARE(failed, how != "print");
            messages.all.push_back(timer.restart() - (hangs ? kPatience.count() : 0));
            worker.start();
            const Frame answer = worker.call(
                {FrameKind::Request, worker.nextNumber(), R"({"verb": "fault", "what": "print"})", {}, {}}, 10s, {});
            QCOMPARE(answer.json, std::string("{}"));
            workers.all.push_back(timer.elapsed());
        }
        qInfo("%d: message after %lld ms (worst %lld), new worker after %lld ms (worst %lld)", rounds(),
              messages.median(), messages.worst(), workers.median(), workers.worst());
        if (how != "allocate")
            QVERIFY(messages.worst() < kSecond); // that one takes the time in which a gigabyte is filled
        QVERIFY(workers.worst() < kSecond);
    }
};

QTEST_GUILESS_MAIN(TestFaults)
#include "tst_faults.moc"
