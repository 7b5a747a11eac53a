// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/edit/history.h"
#include "core/model_files/open.h"
#include "core/model_files/save_graphmodule.h"
#include "core/remote/evaluate.h"
#include "core/remote/worker_client.h"
#include "core/tensor/elements.h"

#include <QElapsedTimer>
#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>
#include <csignal>
#include <sys/wait.h>
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
    return {
        FrameKind::Request, worker.nextNumber(), std::string(R"({"verb": "fault", "what": ")") + what + "\"}", {}, {}};
}

RunRequest resnet(ModelRef model) {
    RunRequest request = resnet();
    request.model = std::move(model);
    return request;
}

/// Whether all threads of a child have ended; the first one can be a zombie before.
bool hasEnded(pid_t child) {
    siginfo_t info{};
    return ::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == child;
}

/// R, S, Z... as in /proc/N/stat.
char stateOf(pid_t process) {
    QFile file(QStringLiteral("/proc/%1/stat").arg(process));
    if (!file.open(QIODevice::ReadOnly)) return 'X';
    const QByteArray text = file.readAll();
    return text.mid(text.lastIndexOf(')') + 2).at(0);
}

bool sameOutput(const RunResult& a, const RunResult& b) {
    return elementValues(*a.output.tensor) == elementValues(*b.output.tensor);
}

/// ResNet with a new first convolution and another activation.
StepList edits(int seed) {
    return StepList::parse(
        R"([{"step": "replace_module", "path": "conv1", "module": {"type": "torch.nn.Conv2d", "seed": )" +
        std::to_string(seed) +
        R"(, "settings": {"in_channels": 3, "out_channels": 8, "kernel_size": 7, "stride": 2, "padding": 3,)"
        R"( "bias": false}}},
               {"step": "replace_module", "path": "relu", "module": {"type": "torch.nn.GELU"}}])");
}

} // namespace

class TestWorker : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { qputenv("LANCET_WORKER_FAULTS", "1"); }

    void start_withWhatIsNoMessage_fails() {
        QProcess worker;
        worker.start(QStringLiteral(LANCET_WORKER), {});
        QVERIFY(worker.waitForStarted());
        worker.write(QByteArray(64, 'x'));
        QVERIFY(worker.waitForFinished());
        QCOMPARE(worker.exitCode(), 1);
        QVERIFY2(worker.readAllStandardError().startsWith("lancet-worker: "), "no reason");
    }

    /// Not a byte of a model before the worker has given up its rights.
    void request_beforeTheFiles_endsTheWorker() {
        QProcess worker;
        worker.start(QStringLiteral(LANCET_WORKER), {});
        QVERIFY(worker.waitForStarted());
        const std::string json = R"({"verb": "run", "model": "/dev/null"})";
        worker.write(QByteArray::fromStdString(frameHeader(FrameKind::Request, 1, json.size(), 0) + json));
        QVERIFY(worker.waitForFinished());
        QCOMPARE(worker.exitCode(), 1);
    }

    void worker_opensOnlyTheFilesOfTheRequest() {
        QTemporaryDir folder;
        const std::string other = folder.filePath("other").toStdString(),
                          created = folder.filePath("new").toStdString();
        QVERIFY(QFile::copy(kResnet, QString::fromStdString(other)));
        WorkerClient worker(options());
        worker.run(resnet());
        QVERIFY(worker.isSandboxed());
        const auto opens = [&](const char* how, const std::string& path) {
            Frame frame{FrameKind::Request, worker.nextNumber(), {}, {}, {}};
            frame.json = JsonWriter()
                             .beginObject()
                             .key("verb")
                             .string("fault")
                             .key("what")
                             .string(how)
                             .key("path")
                             .string(path)
                             .endObject()
                             .text();
            try {
                worker.call(frame, {}, {});
                return true;
            } catch (const Error&) { return false; }
        };
        QVERIFY(opens("read", kResnet));
        QVERIFY(!opens("write", kResnet));
        QVERIFY(!opens("read", other));
        QVERIFY(!opens("read", "/etc/passwd"));
        QVERIFY(!opens("write", created));
        QVERIFY(!opens("write", "/dev/null"));
        QVERIFY(!opens("read", "/proc/" + std::to_string(::getpid()) + "/mem"));
        QVERIFY(!opens("read", "/proc/" + std::to_string(::getpid()) + "/environ"));
        QVERIFY(!opens("read", "/proc/self/root" + other));
        QVERIFY(!QFile::exists(QString::fromStdString(created)));
    }

    void requestThatNamesAnotherFile_hasAnotherWorker() {
        QTemporaryDir folder;
        const QString other = folder.filePath("other.pt");
        QVERIFY(QFile::copy(kResnet, other));
        WorkerClient worker(options());
        const RunResult first = worker.run(resnet());
        const pid_t process = worker.processId();
        worker.run(resnet());
        QCOMPARE(worker.processId(), process);
        QVERIFY(sameOutput(worker.run(resnet(other.toStdString())), first));
        QVERIFY(worker.processId() != process);
        const pid_t next = worker.processId();
        QVERIFY(QFile::remove(other));
        QVERIFY(QFile::copy(kResnet, other)); // another file under the name
        QVERIFY(sameOutput(worker.run(resnet(other.toStdString())), first));
        QVERIFY(worker.processId() != next);
    }

    void run_twiceWithOneSeed_givesTheSameBits() {
        WorkerClient worker(options());
        const RunResult first = worker.run(resnet()), second = worker.run(resnet());
        QCOMPARE(first.output.kind, ValueTree::Kind::Tensor);
        QVERIFY(elementValues(*first.output.tensor) == elementValues(*second.output.tensor));
        RunRequest other = resnet();
        other.seed = 1;
        QVERIFY(elementValues(*first.output.tensor) != elementValues(*worker.run(other).output.tensor));
    }

    void versionInMemory_runs_asTheOneThatIsSaved() {
        QTemporaryDir folder;
        WorkerClient worker(options());
        History history(openModel(kResnet));
        const RunResult original = worker.run(resnet());
        QVERIFY(sameOutput(worker.run(resnet(history.model())), original));
        for (const int seed : {1, 2}) {
            history.edit("change", edits(seed));
            const std::string saved = folder.filePath("saved%1.pt").arg(seed).toStdString();
            saveGraphModule(*history.model(), saved, true);
            const RunResult inMemory = worker.run(resnet(history.model()));
            QVERIFY(!sameOutput(inMemory, original));
            QVERIFY(sameOutput(inMemory, worker.run(resnet(saved))));
        }
    }

    void versionInMemory_afterTheWorkerDied_isSentAgain() {
        WorkerClient worker(options());
        History history(openModel(kResnet));
        history.edit("change", edits(1));
        const RunResult first = worker.run(resnet(history.model()));
        const pid_t process = worker.processId();
        ::kill(process, SIGKILL); // while nothing is asked of it: nobody needs to know
        QTRY_VERIFY(hasEnded(process));
        QVERIFY(sameOutput(worker.run(resnet(history.model())), first));
        QVERIFY_THROWS_EXCEPTION(Error, worker.call(fault(worker, "segv"), {}, {}));
        QVERIFY(sameOutput(worker.run(resnet(history.model())), first));
    }

    void moreVersionsThanTheWorkerKeeps_areSentAgain() {
        WorkerClient worker(options());
        History history(openModel(kResnet));
        std::vector<RunResult> first;
        for (int seed = 0; seed < 20; ++seed) {
            history.edit("change", edits(seed));
            first.push_back(worker.run(resnet(history.model())));
        }
        for (std::size_t i = 0; i < first.size(); ++i)
            QVERIFY(sameOutput(worker.run(resnet(history.entries()[i + 1].model)), first[i]));
    }

    void inputs_missingWrongOrUnknown_areNamed() {
        WorkerClient worker(options());
        const auto failure = [&](RunRequest request) {
            try {
                worker.run(request);
            } catch (const Error& error) { return error; }
            return Error(ErrorKind::File, fx::Message::received({}, {}, "no failure"));
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
        request = resnet();
        request.random[0].name = "nobody"; // told before x lacks a value
        const Error unknown = failure(request);
        QVERIFY2(unknown.message().is("worker.unknown_input"), unknown.what());
        QCOMPARE(unknown.message().argument("name"), std::string("nobody"));
    }

    void inputs_thatCannotBeDrawn_areNamed_data() {
        QTest::addColumn<QString>("dtype");
        QTest::addColumn<qlonglong>("size");
        QTest::addColumn<qlonglong>("high");
        QTest::addColumn<QString>("says");
        QTest::newRow("more than the memory")
            << "torch.float32" << qlonglong{1} << qlonglong{0} << "can't allocate memory";
        QTest::newRow("no random numbers")
            << "torch.float8_e4m3fn" << qlonglong{0} << qlonglong{0} << "not implemented";
        QTest::newRow("int8") << "torch.int8" << qlonglong{0} << qlonglong{129}
                              << "int8 does not hold integers from 0 to 128";
        QTest::newRow("uint8") << "torch.uint8" << qlonglong{0} << qlonglong{257} << "uint8 does not hold integers";
        QTest::newRow("int32") << "torch.int32" << qlonglong{0} << qlonglong{5'000'000'000}
                               << "int32 does not hold integers";
    }
    void inputs_thatCannotBeDrawn_areNamed() {
        QFETCH(QString, dtype);
        QFETCH(qlonglong, size);
        QFETCH(qlonglong, high);
        QFETCH(QString, says);
        WorkerClient worker(options());
        RunRequest request = resnet();
        request.random = {{"x", {size ? 1'000'000'000'000 : 1, 3, 8, 8}, dtype.toStdString(), high}};
        try {
            worker.run(request);
            QFAIL("it was drawn");
        } catch (const Error& error) {
            const QString what = error.what();
            QCOMPARE(error.kind(), ErrorKind::Usage);
            QVERIFY2(what.contains("the input 'x'"), qPrintable(what));
            QVERIFY2(what.contains(says), qPrintable(what));
            QVERIFY2(!what.contains("frame #"), qPrintable(what));
        }
    }

    void death_ofAnyKind_isAnErrorWithinASecond_data() {
        QTest::addColumn<QByteArray>("how");
        for (const char* how : {"segv", "abort", "exit", "kill", "garbage"}) QTest::newRow(how) << QByteArray(how);
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
        QVERIFY2(timer.elapsed() < 1000 * LANCET_SLOWNESS, qPrintable(QString::number(timer.elapsed())));
        QVERIFY(!worker.running());
        QCOMPARE(worker.run(resnet()).output.kind, ValueTree::Kind::Tensor); // another one takes over
    }

    void printedText_reachesNobody() {
        WorkerClient worker(options());
        QCOMPARE(worker.call(fault(worker, "print"), {}, {}).json, std::string("{}"));
        QCOMPARE(worker.run(resnet()).output.kind, ValueTree::Kind::Tensor);
    }

    void memoryBeyondTheLimit_isAnErrorThatTheWorkerSurvives_data() {
        QTest::addColumn<QByteArray>("how");
        for (const char* how : {"allocate", "one allocation"}) QTest::newRow(how) << QByteArray(how);
    }
    void memoryBeyondTheLimit_isAnErrorThatTheWorkerSurvives() {
        QFETCH(QByteArray, how);
        WorkerOptions limited = options();
        limited.memoryBytes = std::uint64_t{1} << 30;
        WorkerClient worker(limited);
        worker.run(resnet()); // the worker may read the file from now on
        const pid_t process = worker.processId();
        try {
            worker.call(fault(worker, how.constData()), {}, {});
            QFAIL("no error");
        } catch (const Error& error) {
            QCOMPARE(error.kind(), ErrorKind::Run);
            QCOMPARE(error.what(), "out of memory");
        }
        QCOMPARE(worker.run(resnet()).output.kind, ValueTree::Kind::Tensor);
        QCOMPARE(worker.processId(), process);
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
        } catch (const Error& error) { QCOMPARE(error.kind(), ErrorKind::Cancelled); }
        QVERIFY2(timer.elapsed() < 200 + 1000 * LANCET_SLOWNESS, qPrintable(QString::number(timer.elapsed())));
        QCOMPARE(::kill(process, 0), -1); // nothing is left of it
    }

    void stop_whileItRuns_isCancelled() {
        WorkerClient worker(options());
        constexpr qint64 kMost = 200 * LANCET_SLOWNESS;
        qint64 least = kMost; // of several: the machine may be busy
        for (int i = 0; i < 5 && least >= kMost; ++i) {
            worker.start();
            std::stop_source stop;
            QElapsedTimer timer;
            std::jthread later([&] {
                std::this_thread::sleep_for(100ms);
                timer.start();
                stop.request_stop();
            });
            try {
                worker.call(fault(worker, "loop"), {}, Progress(stop.get_token()));
                QFAIL("no error");
            } catch (const Error& error) { QCOMPARE(error.kind(), ErrorKind::Cancelled); }
            later.join();
            least = std::min(least, timer.elapsed());
        }
        QVERIFY2(least < kMost, qPrintable(QString::number(least)));
    }

    void workerThatDoesNotStop_isEndedWithinASecond() {
        WorkerClient worker(options());
        worker.start();
        const pid_t process = worker.processId();
        std::stop_source stop;
        std::jthread later([&stop] {
            std::this_thread::sleep_for(50ms);
            stop.request_stop();
        });
        QVERIFY_THROWS_EXCEPTION(Error, worker.call(fault(worker, "stop"), {}, Progress(stop.get_token())));
        QCOMPARE(::kill(process, 0), 0);
        QTRY_VERIFY_WITH_TIMEOUT(stateOf(process) == 'Z', 1500 * LANCET_SLOWNESS); // though nothing is asked of it
        QCOMPARE(worker.run(resnet()).output.kind, ValueTree::Kind::Tensor);
    }

    void requestThatWasCancelled_leavesTheWorkerToTheNext() {
        WorkerClient worker(options());
        worker.start();
        const pid_t process = worker.processId();
        RunRequest large = resnet();
        large.random[0].sizes = {64, 3, 256, 256}; // seconds: not done when it is stopped
        for (int i = 0; i < 2; ++i) {
            std::stop_source stop;
            std::jthread later([&stop] {
                std::this_thread::sleep_for(100ms);
                stop.request_stop();
            });
            QVERIFY_THROWS_EXCEPTION(Error, worker.run(large, {}, Progress(stop.get_token())));
            QCOMPARE(worker.run(resnet()).output.kind, ValueTree::Kind::Tensor);
        }
        QCOMPARE(worker.processId(), process);
    }

    void spare_takesOverAtOnce() {
        WorkerOptions withSpare = options();
        withSpare.spare = true;
        WorkerClient worker(withSpare);
        worker.start();
        QTRY_VERIFY_WITH_TIMEOUT(worker.spareReady(), 30'000);
        QElapsedTimer timer;
        timer.start();
        QVERIFY_THROWS_EXCEPTION(Error, worker.call(fault(worker, "segv"), {}, {}));
        const qint64 message = timer.restart();
        worker.start();
        const qint64 ready = timer.elapsed();
        qInfo("message after %lld ms, new worker after %lld ms", message, ready);
        QVERIFY(message < 1000);
        QVERIFY(ready < 1000);
        QCOMPARE(worker.run(resnet()).output.kind, ValueTree::Kind::Tensor);
    }

    void expressions_areEvaluated_andSharedTensorsStayShared() {
        GraphModule model = *openModel(kResnet);
        model.root = std::make_shared<Module>(*model.root);
        const auto expression = [](const char* source, std::vector<std::int64_t> sizes) {
            TensorRef tensor;
            tensor.sizes = sizes;
            tensor.strides = {sizes.size() == 1 ? 1 : sizes.back(), 1};
            tensor.strides.resize(sizes.size());
            std::uint64_t bytes = 4;
            for (const auto size : sizes) bytes *= static_cast<std::uint64_t>(size);
            tensor.storage = Storage::expression(source, bytes);
            return std::make_shared<const TensorRef>(tensor);
        };
        const TensorPtr first = expression("torch.arange(6).reshape(2, 3).float() * 0.5", {2, 3});
        model.root->buffers.push_back({"first", first, true});
        model.root->buffers.push_back({"again", first, true});
        WorkerClient worker(options());
        const GraphModule whole = evaluated(model, worker);
        QVERIFY(elementValues(*whole.root->buffer("first")->tensor) == std::vector<double>({0, 0.5, 1, 1.5, 2, 2.5}));
        QCOMPARE(whole.root->buffer("first")->tensor.get(), whole.root->buffer("again")->tensor.get());
        QCOMPARE(whole.root->child("conv1"), model.root->child("conv1"));
        QVERIFY(first->storage->isExpression()); // the model itself is as it was

        model.root->buffers.push_back({"doubled", expression("torch.mul(self.first, 2)", {2, 3}), true});
        model.root->buffers.push_back(
            {"scaled", expression("self.conv1.weight.new_ones(2) * self.bn1.num_batches_tracked", {2}), true});
        const GraphModule more = evaluated(model, worker);
        QVERIFY(elementValues(*more.root->buffer("doubled")->tensor) == std::vector<double>({0, 1, 2, 3, 4, 5}));
        QCOMPARE(more.root->buffer("scaled")->tensor->sizes, std::vector<std::int64_t>{2});
        model.root->buffers.resize(model.root->buffers.size() - 2);

        model.root->buffers.back().tensor = expression("torch.zeros(2)", {3});
        QVERIFY_THROWS_EXCEPTION(Error, evaluated(model, worker));
        model.root->buffers.back().tensor = expression("torch.nonsense(2)", {2});
        QVERIFY_THROWS_EXCEPTION(Error, evaluated(model, worker));
        WorkerClient none({{"/nowhere/lancet-worker"}, true, 0});
        evaluated(*openModel(kResnet), none); // nothing to compute: no worker
    }

    void workerElsewhere_getsEverythingInFrames() {
        History history(openModel(kResnet));
        history.edit("change", edits(3));
        WorkerClient here(options());
        WorkerClient elsewhere({{"sh", "-c", "exec '" LANCET_WORKER "'"}, false, 0});
        const RunResult expected = here.run(resnet(history.model()));
        QVERIFY(sameOutput(elsewhere.run(resnet(history.model())), expected));
        QVERIFY(QByteArray::fromStdString(elsewhere.machine()).contains("\"cpu\""));
    }

    void program_thatIsNotThere_isAnError() {
        WorkerClient worker({{"/nowhere/lancet-worker"}, true, 0});
        QVERIFY_THROWS_EXCEPTION(Error, worker.start());
        WorkerClient liar({{"/bin/echo", "hello, this is a greeting of some length"}, false, 0});
        QVERIFY_THROWS_EXCEPTION(Error, liar.start());
    }
};

QTEST_APPLESS_MAIN(TestWorker)
#include "tst_worker.moc"
