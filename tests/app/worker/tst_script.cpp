// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model_files/open.h"
#include "core/remote/script_message.h"
#include "core/remote/worker_client.h"
#include "core/tensor/elements.h"
#include "tests/failure.h"

#include <QTest>

using namespace fx;
using namespace fx::remote;

namespace {

std::string file(const char* name) { return std::string(LANCET_SOURCE_DIR "/tests/data/torchscript/") + name; }

ScriptDescription describe(WorkerClient& worker, const char* name) {
    return scriptDescription(worker.call(describeScriptFrame(file(name), worker.nextNumber()), {}, {}));
}

RunResult run(WorkerClient& worker, const char* name, std::vector<RandomInput> random,
              std::optional<ValueTree> inputs = {}) {
    RunRequest request;
    request.model = file(name);
    request.random = std::move(random);
    request.inputs = std::move(inputs);
    return runResult(worker.call(toFrame(request, worker.nextNumber(), true, "run_script"), {}, {}));
}

ValueTree ones() {
    TensorRef tensor;
    tensor.sizes = {1, 3};
    tensor.strides = {3, 1};
    std::vector<std::byte> bytes(12);
    for (std::size_t i = 0; i < 12; i += 4) bytes[i + 2] = std::byte{0x80}, bytes[i + 3] = std::byte{0x3f};
    tensor.storage = Storage::inMemory(std::move(bytes));
    return ValueTree::of(std::make_shared<const TensorRef>(tensor));
}

} // namespace

class TestScript : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void file_isDescribed() {
        WorkerClient worker({{LANCET_WORKER}, true, 0});
        const ScriptDescription script = describe(worker, "small.ts");
        QCOMPARE(script.className, std::string("__torch__.Small"));
        QCOMPARE(script.methods.size(), 1u);
        QVERIFY(QByteArray::fromStdString(script.methods[0].graph).contains("aten::linear(")); // inlined
        QCOMPARE(script.tensors.size(), 3u);
        QCOMPARE(script.tensors[0].path, std::string("linear.weight"));
        QCOMPARE(script.tensors[0].dtype, std::string("torch.float32"));
        QVERIFY(script.tensors[0].sizes == std::vector<std::int64_t>({2, 3}));
        QVERIFY(!script.tensors[2].isParameter);
    }

    void file_runs_withGivenAndDrawnInputs() {
        WorkerClient worker({{LANCET_WORKER}, true, 0});
        const RunResult given = run(worker, "small.ts", {}, ones()); // the numbers are PyTorch's
        QCOMPARE(given.output.kind, ValueTree::Kind::Tuple);
        QVERIFY(elementValues(*given.output.items[0].tensor) == std::vector<double>({12.5, 48.5}));
        QVERIFY(elementValues(*given.output.items[1].tensor) == std::vector<double>({4, 4, 4}));
        const RunResult drawn = run(worker, "small.ts", {{"x", {5, 3}, "torch.float32", 0}});
        QVERIFY(drawn.output.items[0].tensor->sizes == std::vector<std::int64_t>({5, 2}));
        const ValueTree dict = run(worker, "dict.ts", {}, ones()).output;
        QCOMPARE(dict.kind, ValueTree::Kind::Dict);
        QVERIFY(elementValues(*dict.items.at(1).tensor) == std::vector<double>({2, 2, 2}));
        QCOMPARE(elementValues(*run(worker, "state.ts", {{"x", {2}, "torch.float32", 0}}).output.tensor).size(), 2u);
    }

    void inputsByName_areThoseOfForward() {
        WorkerClient worker({{LANCET_WORKER}, true, 0});
        const auto dict = [](const char* name) {
            ValueTree out;
            out.kind = ValueTree::Kind::Dict;
            out.items = {ValueTree::of(Argument(name)), ones()};
            return out;
        };
        QVERIFY(elementValues(*run(worker, "small.ts", {}, dict("x")).output.items[0].tensor) ==
                std::vector<double>({12.5, 48.5}));
        for (const Error& error : {failure([&] { run(worker, "small.ts", {}, dict("why")); }), failure([&] {
                                       run(worker, "small.ts", {{"why", {5, 3}, "torch.float32", 0}});
                                   })}) {
            QCOMPARE(error.kind(), ErrorKind::Usage);
            QCOMPARE(error.what(), "unknown input 'why'");
            QVERIFY2(error.hint.starts_with("use one of x"), error.hint.c_str());
        }
    }

    void trouble_isAnErrorThatTheWorkerSurvives() {
        WorkerClient worker({{LANCET_WORKER}, true, 0});
        worker.start();
        const pid_t process = worker.processId();
        QCOMPARE(failure([&] { run(worker, "small.ts", {}); }).kind(), ErrorKind::Usage);
        const Error raised = failure([&] { run(worker, "raises.ts", {}, ones()); });
        QCOMPARE(raised.kind(), ErrorKind::Run);
        QVERIFY2(QByteArray(raised.what()).contains("too large"), raised.what());
        const Error damaged = failure([&] { describe(worker, "damaged.ts"); });
        QCOMPARE(damaged.kind(), ErrorKind::File);
        QVERIFY2(QByteArray(damaged.what()).contains("aten::rely"), damaged.what());
        QCOMPARE(failure([&] { describe(worker, "nothing.ts"); }).kind(), ErrorKind::File);
        QCOMPARE(worker.processId(), process);
    }

    void opening_saysWhatItIs() {
        const Error error = failure([] { openModel(file("small.ts")); });
        QCOMPARE(error.kind(), ErrorKind::File);
        QVERIFY(QByteArray(error.what()).contains("TorchScript"));
    }
};

QTEST_GUILESS_MAIN(TestScript)
#include "tst_script.moc"
