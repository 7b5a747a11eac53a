// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/zip/zip_archive.h"
#include "core/io/zip/zip_writer.h"
#include "core/model_files/foresee.h"
#include "core/model_files/save_graphmodule.h"
#include "core/remote/save_script.h"
#include "core/remote/verify_message.h"
#include "core/tensor/elements.h"
#include "core/torchscript/block_graph.h"
#include "core/torchscript/torchscript.h"
#include "tests/app/worker/open_script.h"
#include "tests/app/worker/script_fixture.h"
#include "tests/failure.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <cmath>

using namespace fx;
using namespace fx::remote;

namespace {

/// The blocks of a model with their paths.
QStringList blockTexts(const GraphModule& model) {
    QStringList out;
    forEachModule(*model.root, [&](const std::string& path, const Module& module) {
        if (script::isScriptBlock(module))
            out << QString::fromStdString(path + ": " + *module.setting<std::string>("graph"));
    });
    return out;
}

} // namespace

/// TorchScript as a graph: what is read, run and written.
class TestScript : public ScriptFixture {
    Q_OBJECT

private Q_SLOTS:
    void trace_becomesAGraphOfModules() {
        const auto module = openScript(file("traced.ts"));
        QCOMPARE(module->format, Format::TorchScript);
        QCOMPARE(text(*module),
                 QStringLiteral(
                     "graph():\n"
                     "    %x : [num_users=1] = placeholder[target=x]\n"
                     "    %net_0 : [num_users=1] = call_module[target=net.0](args = (%x,), kwargs = {})\n"
                     "    %net_1 : [num_users=3] = call_module[target=net.1](args = (%net_0,), kwargs = {})\n"
                     "    %size : [num_users=1] = call_method[target=size](args = (%net_1, 0), kwargs = {})\n"
                     "    %size_1 : [num_users=1] = call_method[target=size](args = (%net_1, 1), kwargs = {})\n"
                     "    %floordiv : [num_users=1] = call_function[target=operator.floordiv](args = (%size_1, 2), "
                     "kwargs = {})\n"
                     "    %input_1 : [num_users=1] = call_function[target=torch.ops.aten.view.default](args = "
                     "(%net_1, [%size, -1, %floordiv]), kwargs = {})\n"
                     "    %net_2 : [num_users=1] = call_module[target=net.1](args = (%input_1,), kwargs = {})\n"
                     "    return net_2"));
        QVERIFY(module->root->attributes.empty()); // the 2 of the division is a number now, no tensor
        const PathTarget conv = resolvePath(*module->root, "net.0");
        QCOMPARE(QByteArray::fromStdString(conv.module->qualifiedType()), "torch.nn.modules.conv.Conv1d");
        QVERIFY(*std::get_if<Argument>(conv.module->attribute("padding_mode")) == Argument("reflect"));
        QVERIFY(*std::get_if<Argument>(conv.module->attribute("padding")) == Argument::tuple({1}));
        QVERIFY(conv.module->parameter("weight")->tensor->storage->file()); // a region of the archive
        const auto operators = openScript(file("traced.ts"), {{}, false});
        for (const Node& node : operators->graph.nodes()) QVERIFY(node.op() != Op::CallModule);
        QVERIFY(text(*operators).contains("torch.ops.aten._convolution.default"));
    }

    void script_isFoldedAndKeepsWhatDependsOnValues() {
        const auto module = openScript(file("small.ts"));
        QCOMPARE(module->warnings.size(), 1u);
        QVERIFY(module->warnings[0].what.is("script.has_blocks"));
        std::vector<std::string> blocks;
        for (const Node& node : module->graph.nodes())
            if (node.op() == Op::CallModule && script::isScriptBlock(*resolvePath(*module->root, node.target()).module))
                blocks.push_back(node.target());
        QVERIFY(blocks == std::vector<std::string>({"loop_block", "if_block"}));
        QVERIFY(module->graph.node(module->graph.find("times")).args() == std::vector<Argument>{Argument(2)});
    }

    void branchesOnInputs_followTheirDefaults() {
        const auto module = openScript(file("branches.ts"));
        std::vector<std::string> followed;
        for (const Warning& warning : module->warnings)
            if (warning.what.is("script.follows_default")) followed.push_back(warning.what.argument("name"));
        QVERIFY(followed == std::vector<std::string>({"mask", "double", "mode"}));
        QVERIFY(text(*module).contains("%eq : [num_users=1] = call_function[target=operator.eq](args = (%mask, None)"));
        QVERIFY(text(*module).contains("torch._assert](args = (%eq, mask has been specialized to have value None but "
                                       "got another value)"));
        QVERIFY(!text(*module).contains("torch.ops.aten.mul"));
        QVERIFY(text(*module).contains("torch.ops.aten.relu.default")); // mode is "max"
        QCOMPARE(blocksOf(*module), 1);                                 // bias must be given, so nothing is known of it
        WorkerClient worker(options());
        ValueTree given;
        given.kind = ValueTree::Kind::Tuple;
        given.items = {ones(), ones()};
        for (const char* verb : {"run", "run_script"})
            QVERIFY(elementValues(*run(worker, file("branches.ts"), {}, given, verb).output.tensor) ==
                    std::vector<double>({2, 2, 2}));
        given.items.push_back(ones()); // the mask
        QVERIFY(elementValues(*run(worker, file("branches.ts"), {}, given).output.tensor) ==
                std::vector<double>({2, 2, 2})); // the file takes it, so another of its graphs runs
        const Error fixed = failure([&] { run(worker, std::shared_ptr<const GraphModule>(module), {}, given); });
        QVERIFY2(fixed.message().is("engine.specialised"), fixed.what());
        QVERIFY2(!fixed.hint.empty(), fixed.what());
        QVERIFY(QByteArray(fixed.what()).contains("mask has been specialized to have value None"));
        const std::string every = file("branches.ts") + "#forward (every branch)";
        QVERIFY(elementValues(*run(worker, every, {}, given).output.tensor) == std::vector<double>({2, 2, 2}));
    }

    void everyBranch_isAGraphToChoose() {
        const auto module = openScript(file("branches.ts") + "#forward (every branch)");
        QCOMPARE(module->modelName, std::string("forward (every branch)"));
        QCOMPARE(script::methodOf(*module), std::string("forward"));
        QCOMPARE(blocksOf(*module), 4);
        QVERIFY(std::count(module->modelNames.begin(), module->modelNames.end(), module->modelName) == 1);
        const auto plain = openScript(file("traced.ts"));
        QCOMPARE(plain->modelNames.size(), std::size_t{2}); // nothing to branch on
    }

    void missingOperators_areDeclaredAndShown() {
        const QTemporaryDir folder;
        const std::string path = folder.filePath("foreign.ts").toStdString();
        const auto archive = ZipArchive::open(DataFile::open(file("small.ts")));
        std::string content;
        ZipWriter zip([&](std::string_view bytes) { content += bytes; });
        for (const ZipMember& member : archive.members()) {
            std::string code = archive.readText(member, 1 << 20);
            if (const auto at = code.find("torch.relu("); at != code.npos) code.replace(at, 11, "ops.mine.relu(");
            zip.add(member.name, code);
        }
        zip.finish();
        QFile out(QString::fromStdString(path));
        QVERIFY(out.open(QIODevice::WriteOnly));
        out.write(content.data(), static_cast<qint64>(content.size()));
        out.close();
        const auto module = openScript(path);
        QVERIFY(std::any_of(module->warnings.begin(), module->warnings.end(), [](const Warning& warning) {
            return warning.what.is("script.missing_operators") && warning.what.argument("names") == "mine::relu";
        }));
        WorkerClient worker(options());
        QVERIFY(QByteArray(failure([&] { run(worker, path, {}, ones()); }).what()).contains("mine::relu"));
    }

    void graph_runsAsTheFile() {
        WorkerClient worker(options());
        for (const char* verb : {"run", "run_script"}) {
            const RunResult given = run(worker, file("small.ts"), {}, ones(), verb); // the numbers are PyTorch's
            QCOMPARE(given.output.kind, ValueTree::Kind::Tuple);
            QVERIFY(elementValues(*given.output.items[0].tensor) == std::vector<double>({12.5, 48.5}));
            QVERIFY(elementValues(*given.output.items[1].tensor) == std::vector<double>({4, 4, 4}));
            const ValueTree dict = run(worker, file("dict.ts"), {}, ones(), verb).output;
            QCOMPARE(dict.kind, ValueTree::Kind::Dict);
            QVERIFY(elementValues(*dict.items.at(1).tensor) == std::vector<double>({2, 2, 2}));
        }
        const RunResult drawn = run(worker, file("small.ts"), {{"x", {5, 3}, "torch.float32", 0}});
        QVERIFY(drawn.output.items[0].tensor->sizes == std::vector<std::int64_t>({5, 2}));
    }

    void unchangedImport_isWrittenAsItWas() {
        const QTemporaryDir folder;
        const std::string path = folder.filePath("copy.ts").toStdString();
        WorkerClient worker(options());
        const std::shared_ptr<const GraphModule> module = openScript(file("small.ts"));
        QVERIFY(saveScript(worker, module, path, {}, true).verified);
        QFile before(QString::fromStdString(file("small.ts"))), after(QString::fromStdString(path));
        QVERIFY(before.open(QIODevice::ReadOnly));
        QVERIFY(after.open(QIODevice::ReadOnly));
        QCOMPARE(after.readAll(), before.readAll());
    }

    void graph_isWrittenAsScript_andGivesTheSame() {
        const QTemporaryDir folder;
        const std::string path = folder.filePath("new.ts").toStdString();
        WorkerClient worker(options());
        for (const char* name : {"small.ts", "traced.ts"}) { // one with control flow, one of modules
            auto module = openScript(file(name));
            module->origin.reset(); // nothing but the graph is known
            const std::string output(name);
            const SaveReport saved = saveScript(worker, module, path, {}, true);
            QVERIFY(!saved.verified); // nothing tells the sizes of the inputs
            QVERIFY(saved.warnings.size() == 1);
            QVERIFY(saved.warnings[0].what.is("script.not_compared"));
            const std::string why = saved.warnings[0].what.argument("reason"); // the input that is missing
            QVERIFY2(why.find("'x'") != std::string::npos, why.c_str());
            const RandomInput input = output == "small.ts" ? RandomInput{"x", {5, 3}, "torch.float32", 0}
                                                           : RandomInput{"x", {2, 2, 6}, "torch.float32", 0};
            const ValueTree expected = run(worker, file(name), {input}, {}, "run_script").output;
            for (const char* verb : {"run_script", "run"}) {
                const ValueTree got = run(worker, path, {input}, {}, verb).output;
                const ValueTree &a = expected.items.empty() ? expected : expected.items[0],
                                &b = got.items.empty() ? got : got.items[0];
                QVERIFY(elementValues(*a.tensor) == elementValues(*b.tensor));
            }
        }
    }

    void writtenBlocks_areThoseBlocksAgain_data() {
        QTest::addColumn<QByteArray>("name");
        for (const char* name : {"small.ts", "early.ts", "inside.ts", "lists.ts"})
            QTest::newRow(name) << QByteArray(name);
    }
    void writtenBlocks_areThoseBlocksAgain() {
        QFETCH(QByteArray, name);
        const QTemporaryDir folder;
        WorkerClient worker(options());
        std::vector<std::shared_ptr<GraphModule>> models = {openScript(file(name.constData()))};
        for (int saved = 1; saved <= 3; ++saved) {
            models.back()->origin.reset();
            const std::string path = folder.filePath(QString::number(saved) + ".ts").toStdString();
            saveScript(worker, models.back(), path, {}, false);
            models.push_back(openScript(path));
        }
        QVERIFY(blocksOf(*models[0]) > 0);
        for (int i = 1; i <= 3; ++i) QCOMPARE(blockTexts(*models[i]), blockTexts(*models[0]));
        for (int i = 2; i <= 3; ++i) QCOMPARE(text(*models[i]), text(*models[1]));
    }

    void blocks_areGraphsToLookAt() {
        const auto module = openScript(file("small.ts"));
        const auto loop = script::blockGraph(*resolvePath(*module->root, "loop_block").module);
        QVERIFY(loop);
        QVERIFY(loop->subgraphs.size() == 1);
        QVERIFY(loop->subgraphs[0].first == "loop_graph_0");
        const auto branch = script::blockGraph(*resolvePath(*module->root, "if_block").module);
        QVERIFY(branch);
        QVERIFY(branch->subgraphs.size() == 2);
        QVERIFY2(
            text(*branch).contains(QStringLiteral("torch.ops.prim.If](args = (%v0, %true_graph_0, %false_graph_0")),
            qPrintable(text(*branch)));
        QVERIFY(lint(branch->graph).empty());
        QVERIFY(lint(loop->graph).empty());
        Module damaged = *resolvePath(*module->root, "if_block").module;
        for (auto& [name, value] : damaged.attributes)
            if (name == "graph")
                value = Argument("graph(%v0 : bool):\n  %v1 : int = aten::size(%v7)\n  return (%v1)\n");
        QVERIFY(!script::blockGraph(damaged));
    }

    void branchesOfTooManyLevels_areToldSo() {
        const Error error = failure([] { script::readProgram({std::string(2000, '['), nullptr}); });
        QVERIFY(error.message().is("script.no_graph")); // `run` runs it
        QCOMPARE(error.message().argument("cause"), std::string("script.too_deep"));
    }

    void calledFile_tellsItsTensors() {
        const auto module = openScript(file("assigns.ts"));
        QVERIFY(script::isScriptFile(*module->root->child("script")));
        QCOMPARE(totals(*module->root).buffers.tensors, std::int64_t{1});
        QCOMPARE(totals(*module->root).buffers.elements, std::int64_t{1});
    }

    void whatScriptCannotSay_isRefusedWithTheNode() {
        const QTemporaryDir folder;
        const std::string path = folder.filePath("no.ts").toStdString();
        auto module = openScript(file("traced.ts"));
        module->origin.reset();
        const NodeId last = module->graph.prev(module->graph.outputNode());
        module->graph.setInsertPoint({InsertPoint::Side::After, last});
        auto unknown = std::make_shared<Callable>();
        unknown->name = "mystery", unknown->module = "mine", unknown->qualifiedName = "mine.mystery";
        module->graph.callFunction(unknown, {Argument(last)});
        WorkerClient worker(options());
        const Error error = failure([&] { saveScript(worker, module, path, {}, true); });
        QCOMPARE(error.kind(), ErrorKind::Refused);
        QCOMPARE(error.node, std::string("mystery"));
        QVERIFY(!QFile::exists(QString::fromStdString(path)));
        const Error block = failure([&] { saveGraphModule(*openScript(file("small.ts")), path + ".pt", true); });
        QVERIFY(block.message().is("script.block_in_python"));
    }

    void verify_comparesTheFileWithItsGraph() {
        WorkerClient worker(options());
        VerifyRequest request;
        request.run.model = file("traced.ts"), request.other = file("traced.ts");
        request.run.random = {{"x", {2, 2, 6}, "torch.float32", 0}};
        const VerifyReport report = verify(worker, request, {}, {});
        QVERIFY(report.agrees());
        QVERIFY(!report.identical); // two ways to run, not one model
    }

    void verify_ofAModelWithState_startsEachRunFromTheFile() {
        WorkerClient worker(options());
        VerifyRequest request;
        request.run.model = file("counter.ts"), request.other = file("counter.ts");
        request.run.anyGuess = true;
        for (int time = 0; time < 2; ++time) {
            const VerifyReport report = verify(worker, request, {}, {});
            QVERIFY2(report.verdict == Verdict::Equal, report.reason.text().c_str());
            QVERIFY(!report.first); // the call of the file is no node of its graph
            QVERIFY2(report.inputs.at(0).starts_with("x: 2×3"), report.inputs[0].c_str()); // a batch of two
        }
        for (const Probe& each : probe(worker, request, {}, {})) QVERIFY(each.verdict != Verdict::Different);
    }

    void verify_tellsDamagedWeights() {
        const QTemporaryDir folder;
        const QString path = folder.filePath("damaged.ts");
        QVERIFY(QFile::copy(QString::fromStdString(file("counter.ts")), path));
        const auto archive = ZipArchive::open(DataFile::open(path.toStdString()));
        const ZipMember* weights = archive.findInRoot("data/0");
        QVERIFY(weights);
        QFile bytes(path);
        QVERIFY(bytes.open(QIODevice::ReadWrite));
        QVERIFY(bytes.seek(static_cast<qint64>(archive.dataOffset(*weights)) + 1));
        char byte = 0;
        QVERIFY(bytes.peek(&byte, 1) == 1);
        byte = static_cast<char>(byte ^ 0x10);
        QVERIFY(bytes.write(&byte, 1) == 1);
        bytes.close();
        WorkerClient worker(options());
        VerifyRequest request;
        request.run.model = path.toStdString(), request.other = file("counter.ts");
        request.run.anyGuess = true;
        const VerifyReport report = verify(worker, request, {}, {});
        QVERIFY(std::any_of(report.warnings.begin(), report.warnings.end(),
                            [](const Warning& warning) { return warning.what.is("zip.wrong_sums"); }));
    }

    void layersOfBranches_areCountedInTheirBlocks() {
        const auto module = openScript(file("inside.ts"));
        const auto& report = dynamic_cast<const script::ScriptOrigin&>(*module->origin).report;
        QVERIFY(report.leaves.empty());
        QCOMPARE(report.inBlocks.at("torch.nn.modules.linear.Linear"), 2);
    }

    void trouble_isAnErrorThatTheWorkerSurvives() {
        WorkerClient worker(options());
        const auto raise = [&] { run(worker, file("raises.ts"), {}, ones(), "run_script"); };
        const Error raised = failure(raise);
        const pid_t process = worker.processId();
        QCOMPARE(failure(raise).kind(), ErrorKind::Run);
        QCOMPARE(worker.processId(), process);
        QCOMPARE(raised.kind(), ErrorKind::Run);
        QVERIFY2(QByteArray(raised.what()).contains("too large"), raised.what());
        const Error damaged = failure([&] { run(worker, file("damaged.ts"), {}, ones()); });
        QCOMPARE(damaged.kind(), ErrorKind::File);
        QVERIFY2(QByteArray(damaged.what()).contains("aten::rely"), damaged.what());
        QVERIFY(worker.running());
        QVERIFY(worker.processId() != process); // another file, another worker
        QCOMPARE(failure([&] { run(worker, file("nothing.ts"), {}); }).kind(), ErrorKind::File);
    }

    void graphs_areChosenByName() {
        const auto module = openScript(file("traced.ts"));
        QCOMPARE(module->modelNames, (std::vector<std::string>{"forward", "forward (operators only)"}));
        QCOMPARE(module->modelName, std::string("forward"));
        const auto chosen = openScript(file("traced.ts"), {module->modelNames[1], true});
        QCOMPARE(text(*chosen), text(*openScript(file("traced.ts"), {{}, false})));
        QCOMPARE(chosen->modelName, module->modelNames[1]);
        QVERIFY(failure([] { openScript(file("traced.ts"), {"backward", true}); }).message().is("script.no_method"));
    }

    void methods_areGraphs_andAreWrittenAlone() {
        auto encode = openScript(file("methods.ts"), {"encode", true});
        QCOMPARE(encode->modelNames.size(), std::size_t{4});
        QCOMPARE(text(*openScript(file("methods.ts") + "#encode")), text(*encode));
        QVERIFY2(text(*encode).contains("placeholder[target=by](default=2.0)"), qPrintable(text(*encode)));
        QVERIFY(foresee(*openScript(file("methods.ts")), savedAs("net.ts")).empty());
        const auto points = foresee(*encode, savedAs("net.ts"));
        QCOMPARE(points.size(), std::size_t{2});
        QVERIFY(points[1].what.is("foresee.method_is_forward"));
        QVERIFY(points[0].what.is("foresee.methods_lost"));
        QVERIFY(points[0].kind == Foreseen::Kind::Lost);
        QVERIFY(points[0].what.text().ends_with("not in it: forward"));
        encode->origin.reset();
        const QTemporaryDir folder;
        const std::string path = folder.filePath("encode.ts").toStdString();
        WorkerClient worker(options());
        saveScript(worker, encode, path, {}, true);
        const ValueTree got = run(worker, path, {}, ones(), "run_script").output;
        const std::vector<double> values = elementValues(*got.tensor);
        QVERIFY(std::abs(values.at(0) - 2 * std::exp(1.0)) < 1e-5);
    }

    void missingWorker_isSaidSo() {
        OpenOptions with;
        with.readers.script = scriptsByWorker({{"/nowhere/lancet-worker"}, true, 0});
        const Error error = failure([&] { fx::openModel(file("traced.ts"), with); });
        QCOMPARE(error.kind(), ErrorKind::Run);
        QVERIFY2(QByteArray(error.what()).contains("lancet-worker"), error.what());
    }
};

QTEST_GUILESS_MAIN(TestScript)
#include "tst_script.moc"
