// SPDX-License-Identifier: GPL-3.0-or-later
// Models that try to reach beyond their tensors (tests/data/make_outside_fixtures.py): they open, their shapes are
// inferred, and running one is refused. None of it may leave a file in the working folder.
#include "core/remote/shapes_message.h"
#include "core/torchscript/torchscript.h"
#include "tests/app/worker/open_script.h"
#include "tests/failure.h"

#include <QDir>
#include <QTemporaryDir>
#include <QTest>

using namespace fx;
using namespace fx::remote;

namespace {

std::string file(const char* name) { return std::string(LANCET_SOURCE_DIR "/tests/data/outside/") + name; }

RunRequest requestFor(ModelRef model) {
    RunRequest request;
    request.model = std::move(model);
    request.random = {{"x", {3}, "torch.float32", 0}};
    return request;
}

} // namespace

class TestOutsideModels : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;

private Q_SLOTS:
    void initTestCase() {
        QVERIFY(QDir::setCurrent(m_folder.path())); // the worker's, too
    }
    void cleanup() { QCOMPARE(QDir(m_folder.path()).entryList(QDir::Files), QStringList()); }

    void model_opensAndIsRefusedOnRunning_data() {
        QTest::addColumn<QString>("code");
        for (const char* name : {"function.pt", "overload.pt", "packet.pt", "save.pt", "open.pt", "exported.pt2",
                                 "script_save.ts", "script_map.ts", "script_branch.ts", "script_fork.ts"})
            QTest::newRow(name) << QStringLiteral("call.reaches_files");
        QTest::newRow("process.pt") << QStringLiteral("call.reaches_processes");
        QTest::newRow("collective.pt") << QStringLiteral("call.reaches_processes");
        QTest::newRow("memory.pt") << QStringLiteral("call.reaches_memory");
    }
    void model_opensAndIsRefusedOnRunning() {
        QFETCH(QString, code);
        const std::string path = file(QTest::currentDataTag());
        const std::shared_ptr<const GraphModule> model = openScript(path);
        WorkerClient worker({{LANCET_WORKER}, true, 0});
        ShapesRequest shapes{requestFor(model), true, true, true};
        shapesResult(worker.call(toFrame(shapes, worker.nextNumber(), true), {}, {}));
        const Error refused =
            failure([&] { worker.call(toFrame(requestFor(model), worker.nextNumber(), true, "run"), {}, {}); });
        const bool isScript = QByteArray(QTest::currentDataTag()).endsWith(".ts");
        if (!isScript || !refused.message().code().empty()) { // a graph has no calls without results
            QVERIFY2(refused.message().is(code.toStdString()), refused.what());
            QCOMPARE(refused.kind(), ErrorKind::Refused);
            QVERIFY2(!refused.node.empty(), "the node is named");
            QVERIFY(!refused.hint.empty());
        }
        if (!isScript) return;
        const Error whole =
            failure([&] { worker.call(toFrame(requestFor(path), worker.nextNumber(), true, "run_script"), {}, {}); });
        QVERIFY2(whole.message().is(code.toStdString()), whole.what());
    }

    /// LibTorch runs such code to read the file at all: it is not read on opening, and refused when it is run.
    void script_thatRunsCodeOnLoading_isRefused_data() {
        QTest::addColumn<QString>("name");
        for (const char* name : {"loading_setstate.ts", "loading_default.ts"})
            QTest::newRow(name) << QString::fromLatin1(name);
    }
    void script_thatRunsCodeOnLoading_isRefused() {
        WorkerClient worker({{LANCET_WORKER}, true, 0});
        const Error refused = failure([&] {
            RunRequest request = requestFor(openScript(file(QTest::currentDataTag())));
            request.anyGuess = true, request.random = {{"x", {4}, "torch.float32", 0}};
            worker.run(request);
        });
        QVERIFY2(refused.message().is("call.reaches_files"), refused.what());
        QCOMPARE(refused.kind(), ErrorKind::Refused);
        const Error loaded = failure([&] {
            worker.call(toFrame(requestFor(file(QTest::currentDataTag())), worker.nextNumber(), true, "run_script"), {},
                        {});
        });
        QVERIFY2(loaded.message().is("call.reaches_files"), loaded.what());
        QVERIFY(refused.file.find(QTest::currentDataTag()) != std::string::npos);
    }

    /// Their methods are gone, so that code which calls them does not compile.
    void classesThatLoadLibraries_cannotBeUsed() {
        const Error refused = failure([&] { openScript(file("script_class.ts")); });
        QVERIFY2(QByteArray(refused.what()).contains("Compilation"), refused.what());
    }

    void shapes_thatNobodyAskedFor_runNoScript() {
        const std::shared_ptr<const GraphModule> model =
            openScript(LANCET_SOURCE_DIR "/tests/data/torchscript/branches.ts");
        WorkerClient worker({{LANCET_WORKER}, true, 0});
        ShapesRequest request{requestFor(model), true, true, true};
        request.run.anyGuess = true, request.run.random.clear();
        const NodeShapes byItself = shapesResult(worker.call(toFrame(request, worker.nextNumber(), true), {}, {}));
        QVERIFY(!byItself.ran);
        const auto waits = [](const ShapeFailure& failure) { return failure.what.is("engine.not_inferred"); };
        QVERIFY(std::ranges::any_of(byItself.failures, waits));
        request.byItself = false;
        const NodeShapes asked = shapesResult(worker.call(toFrame(request, worker.nextNumber(), true), {}, {}));
        QVERIFY(std::ranges::none_of(asked.failures, waits));
        QVERIFY(asked.nodes.size() > byItself.nodes.size());
    }
};

QTEST_GUILESS_MAIN(TestOutsideModels)
#include "tst_outside_models.moc"
