// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/remote/worker_client.h"
#include "core/tensor/elements.h"

#include <QElapsedTimer>
#include <QTest>
#include <csignal>
#include <thread>

using namespace fx;
using namespace fx::remote;
using namespace std::chrono_literals;

namespace {

constexpr const char* kResnet = LANCET_SOURCE_DIR "/resources/samples/resnet.pt";

WorkerOptions options() { return {{LANCET_WORKER}, true, 0}; }

RunRequest resnet() {
    RunRequest request;
    request.model = kResnet;
    request.random = {{"x", {1, 3, 64, 64}, "torch.float32", 0}};
    request.threads = 1;
    return request;
}

Frame fault(WorkerClient& worker, const char* what) {
    return {FrameKind::Request, worker.nextNumber(), std::string(R"({"verb": "fault", "what": ")") + what + "\"}", {}};
}

} // namespace

class TestWorker : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { qputenv("LANCET_WORKER_FAULTS", "1"); }

    void run_twiceWithOneSeed_givesTheSameBits() {
        WorkerClient worker(options());
        const RunResult first = worker.run(resnet()), second = worker.run(resnet());
        QCOMPARE(first.output.kind, ValueTree::Kind::Tensor);
        QVERIFY(elementValues(*first.output.tensor) == elementValues(*second.output.tensor));
        RunRequest other = resnet();
        other.seed = 1;
        QVERIFY(elementValues(*first.output.tensor) != elementValues(*worker.run(other).output.tensor));
    }

    void inputs_missingWrongOrUnknown_areNamed() {
        WorkerClient worker(options());
        const auto failure = [&](RunRequest request) {
            try {
                worker.run(request);
            } catch (const Error& error) {
                return error;
            }
            return Error(ErrorKind::File, "no failure");
        };
        RunRequest request = resnet();
        request.random.clear();
        QCOMPARE(failure(request).kind(), ErrorKind::Usage);
        request = resnet();
        request.random[0].name = "nobody";
        QCOMPARE(failure(request).kind(), ErrorKind::Usage);
        request = resnet();
        request.random[0].sizes = {1, 5, 64, 64};
        const Error shape = failure(request);
        QCOMPARE(shape.kind(), ErrorKind::Run);
        QCOMPARE(shape.node, std::string("conv1"));
        request.model = "/nowhere.pt";
        QCOMPARE(failure(request).kind(), ErrorKind::File);
    }

    void death_ofAnyKind_isAnErrorWithinASecond_data() {
        QTest::addColumn<QByteArray>("how");
        for (const char* how : {"segv", "abort", "exit", "kill", "print"}) QTest::newRow(how) << QByteArray(how);
    }
    void death_ofAnyKind_isAnErrorWithinASecond() {
        QFETCH(QByteArray, how);
        WorkerClient worker(options());
        worker.start();
        QElapsedTimer timer;
        timer.start();
        try {
            worker.call(fault(worker, how.constData()), {}, {});
            QFAIL("no error");
        } catch (const Error& error) {
            QCOMPARE(error.kind(), ErrorKind::Run);
            QVERIFY2(QByteArray(error.what()).startsWith("the worker "), error.what());
        }
        QVERIFY2(timer.elapsed() < 1000, qPrintable(QString::number(timer.elapsed())));
        QVERIFY(!worker.running());
        QCOMPARE(worker.run(resnet()).output.kind, ValueTree::Kind::Tensor); // another one takes over
    }

    void endlessLoop_isEndedAtTheLimit() {
        WorkerClient worker(options());
        worker.start();
        const pid_t process = worker.processId();
        QElapsedTimer timer;
        timer.start();
        try {
            worker.call(fault(worker, "loop"), 200ms, {});
            QFAIL("no error");
        } catch (const Error& error) {
            QCOMPARE(error.kind(), ErrorKind::Cancelled);
        }
        QVERIFY2(timer.elapsed() < 1200, qPrintable(QString::number(timer.elapsed())));
        QCOMPARE(::kill(process, 0), -1); // nothing is left of it
    }

    void stop_whileItRuns_isCancelled() {
        WorkerClient worker(options());
        worker.start();
        std::stop_source stop;
        std::jthread later([&stop] {
            std::this_thread::sleep_for(100ms);
            stop.request_stop();
        });
        try {
            worker.call(fault(worker, "loop"), {}, Progress(stop.get_token()));
            QFAIL("no error");
        } catch (const Error& error) {
            QCOMPARE(error.kind(), ErrorKind::Cancelled);
        }
    }

    void program_thatIsNotThere_isAnError() {
        WorkerClient worker({{"/nowhere/lancet-worker"}, true, 0});
        QVERIFY_EXCEPTION_THROWN(worker.start(), Error);
        WorkerClient liar({{"/bin/echo", "hello, this is a greeting of some length"}, false, 0});
        QVERIFY_EXCEPTION_THROWN(liar.start(), Error);
    }
};

QTEST_APPLESS_MAIN(TestWorker)
#include "tst_worker.moc"
