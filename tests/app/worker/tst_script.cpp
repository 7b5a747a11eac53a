// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/torchscript/block_graph.h"
#include "core/io/torchscript/code_on_loading.h"
#include "core/io/torchscript/input_types.h"
#include "core/io/torchscript/torchscript.h"
#include "core/io/zip/zip_archive.h"
#include "core/io/zip/zip_writer.h"
#include "core/ir/ph.h"
#include "core/ir/print.h"
#include "core/model_files/foresee.h"
#include "core/model_files/open.h"
#include "core/model_files/save_graphmodule.h"
#include "core/remote/save_script.h"
#include "core/remote/script_message.h"
#include "core/remote/verify_message.h"
#include "core/tensor/elements.h"
#include "tests/failure.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <cmath>

using namespace fx;
using namespace fx::remote;

namespace {

std::string file(const char* name) { return std::string(LANCET_SOURCE_DIR "/tests/data/torchscript/") + name; }
WorkerOptions options() { return {{LANCET_WORKER}, true, 0}; }

RunResult run(WorkerClient& worker, ModelRef model, std::vector<RandomInput> random,
              std::optional<ValueTree> inputs = {}, const char* verb = "run") {
    RunRequest request;
    request.model = std::move(model);
    request.random = std::move(random);
    request.inputs = std::move(inputs);
    return runResult(worker.call(toFrame(request, worker.nextNumber(), true, verb), {}, {}));
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

int blocksOf(const GraphModule& module) {
    int out = 0;
    for (const Node& node : module.graph.nodes())
        if (node.op() == Op::CallModule) out += script::isScriptBlock(*resolvePath(*module.root, node.target()).module);
    return out;
}

/// The blocks of a model with their paths.
QStringList blockTexts(const GraphModule& model) {
    QStringList out;
    forEachModule(*model.root, [&](const std::string& path, const Module& module) {
        if (script::isScriptBlock(module))
            out << QString::fromStdString(path + ": " + *module.setting<std::string>("graph"));
    });
    return out;
}

/// What packed.ts gives for three random indices, as one list.
std::vector<double> packedResults(WorkerClient& worker, const std::string& path, const char* verb) {
    std::vector<double> out;
    for (const ValueTree& item : run(worker, path, {{"x", {3}, "torch.int64", 5}}, {}, verb).output.items)
        for (const double value : elementValues(*item.tensor)) out.push_back(value);
    return out;
}

QString text(const GraphModule& module) { return QString::fromStdString(graphText(module.graph)); }

} // namespace

class TestScript : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { readScriptsByWorker(options()); }

    void trace_becomesAGraphOfModules() {
        const auto module = openModel(file("traced.ts"));
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
        const auto operators = openModel(file("traced.ts"), {{}, false});
        for (const Node& node : operators->graph.nodes()) QVERIFY(node.op() != Op::CallModule);
        QVERIFY(text(*operators).contains("torch.ops.aten._convolution.default"));
    }

    void script_isFoldedAndKeepsWhatDependsOnValues() {
        const auto module = openModel(file("small.ts"));
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
        const auto module = openModel(file("branches.ts"));
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
        QVERIFY2(fixed.message().is("engine.specialised") && !fixed.hint.empty(), fixed.what());
        QVERIFY(QByteArray(fixed.what()).contains("mask has been specialized to have value None"));
        const std::string every = file("branches.ts") + "#forward (every branch)";
        QVERIFY(elementValues(*run(worker, every, {}, given).output.tensor) == std::vector<double>({2, 2, 2}));
    }

    void everyBranch_isAGraphToChoose() {
        const auto module = openModel(file("branches.ts") + "#forward (every branch)");
        QCOMPARE(module->modelName, std::string("forward (every branch)"));
        QCOMPARE(script::methodOf(*module), std::string("forward"));
        QCOMPARE(blocksOf(*module), 4);
        QVERIFY(std::count(module->modelNames.begin(), module->modelNames.end(), module->modelName) == 1);
        const auto plain = openModel(file("traced.ts"));
        QCOMPARE(plain->modelNames.size(), std::size_t{2}); // nothing to branch on
    }

    void fixedInputs_decideBranches() {
        OpenOptions with;
        with.source.concrete = {{"bias", Argument()}, {"mask", phArgument()}, {"double", Argument(true)}};
        const auto module = openModel(file("branches.ts"), with);
        QCOMPARE(blocksOf(*module), 0);
        QVERIFY(text(*module).contains("torch.ops.aten.mul.Tensor](args = (%x, %mask)"));
        QVERIFY(text(*module).contains("torch.ops.aten.add.Tensor"));
        const Node& flag = module->graph.node(module->graph.find("double"));
        QVERIFY(flag.args() == std::vector<Argument>{Argument(true)}); // who leaves it out means that graph
        with.source.concrete = {{"bias", Argument()}, {"double", phArgument()}};
        QCOMPARE(blocksOf(*openModel(file("branches.ts"), with)), 1); // a flag that is given is not known
        with.source.concrete = {{"double", Argument()}};
        QVERIFY(QByteArray(failure([&] { openModel(file("branches.ts"), with); }).what())
                    .contains("cannot fix input 'double' of type bool to None"));
        with.source.concrete = {{"other", Argument(true)}};
        QVERIFY(QByteArray(failure([&] { openModel(file("branches.ts"), with); }).what())
                    .contains("'forward' has no input 'other'"));
    }

    void fixedInputs_areCheckedInTheWrittenFile() {
        OpenOptions with;
        with.source.concrete = {{"bias", Argument()}};
        const QTemporaryDir folder;
        const std::string path = folder.filePath("fixed.ts").toStdString();
        WorkerClient worker(options());
        const std::shared_ptr<const GraphModule> module = openModel(file("branches.ts"), with);
        saveScript(worker, module, path, {}, true);
        ValueTree given;
        given.kind = ValueTree::Kind::Tuple;
        given.items = {ones()};
        for (const char* verb : {"run", "run_script"})
            QVERIFY(elementValues(*run(worker, path, {}, given, verb).output.tensor) == std::vector<double>({1, 1, 1}));
        given.items.push_back(ones());
        QVERIFY(QByteArray(failure([&] { run(worker, path, {}, given, "run_script"); }).what())
                    .contains("bias has been specialized to have value None"));
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
        const auto module = openModel(path);
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
        const std::shared_ptr<const GraphModule> module = openModel(file("small.ts"));
        QVERIFY(saveScript(worker, module, path, {}, true).verified);
        QFile before(QString::fromStdString(file("small.ts"))), after(QString::fromStdString(path));
        QVERIFY(before.open(QIODevice::ReadOnly) && after.open(QIODevice::ReadOnly));
        QCOMPARE(after.readAll(), before.readAll());
    }

    void graph_isWrittenAsScript_andGivesTheSame() {
        const QTemporaryDir folder;
        const std::string path = folder.filePath("new.ts").toStdString();
        WorkerClient worker(options());
        for (const char* name : {"small.ts", "traced.ts"}) { // one with control flow, one of modules
            auto module = openModel(file(name));
            module->origin.reset(); // nothing but the graph is known
            const std::string output(name);
            const SaveReport saved = saveScript(worker, module, path, {}, true);
            QVERIFY(!saved.verified); // nothing tells the sizes of the inputs
            QVERIFY(saved.warnings.size() == 1 && saved.warnings[0].what.is("script.not_compared"));
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
        std::vector<std::shared_ptr<GraphModule>> models = {openModel(file(name.constData()))};
        for (int saved = 1; saved <= 3; ++saved) {
            models.back()->origin.reset();
            const std::string path = folder.filePath(QString::number(saved) + ".ts").toStdString();
            saveScript(worker, models.back(), path, {}, false);
            models.push_back(openModel(path));
        }
        QVERIFY(blocksOf(*models[0]) > 0);
        for (int i = 1; i <= 3; ++i) QCOMPARE(blockTexts(*models[i]), blockTexts(*models[0]));
        for (int i = 2; i <= 3; ++i) QCOMPARE(text(*models[i]), text(*models[1]));
    }

    void blocks_areGraphsToLookAt() {
        const auto module = openModel(file("small.ts"));
        const auto loop = script::blockGraph(*resolvePath(*module->root, "loop_block").module);
        QVERIFY(loop && loop->subgraphs.size() == 1 && loop->subgraphs[0].first == "loop_graph_0");
        const auto branch = script::blockGraph(*resolvePath(*module->root, "if_block").module);
        QVERIFY(branch && branch->subgraphs.size() == 2);
        QVERIFY2(
            text(*branch).contains(QStringLiteral("torch.ops.prim.If](args = (%v0, %true_graph_0, %false_graph_0")),
            qPrintable(text(*branch)));
        QVERIFY(lint(branch->graph).empty() && lint(loop->graph).empty());
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
        const auto module = openModel(file("assigns.ts"));
        QVERIFY(script::isScriptFile(*module->root->child("script")));
        QCOMPARE(totals(*module->root).buffers.tensors, std::int64_t{1});
        QCOMPARE(totals(*module->root).buffers.elements, std::int64_t{1});
    }

    void inputsThatAreChanged_areFreshForTheWrittenFile() {
        auto module = openModel(file("overwrites.ts"));
        module->origin.reset();
        RunRequest inputs;
        inputs.inputs.emplace();
        inputs.inputs->kind = ValueTree::Kind::Tuple;
        inputs.inputs->items = {ones()};
        const QTemporaryDir folder;
        WorkerClient worker(options());
        QVERIFY(saveScript(worker, std::move(module), folder.filePath("new.ts").toStdString(), inputs, true).verified);
    }

    void whatScriptCannotSay_isRefusedWithTheNode() {
        const QTemporaryDir folder;
        const std::string path = folder.filePath("no.ts").toStdString();
        auto module = openModel(file("traced.ts"));
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
        const Error block = failure([&] { saveGraphModule(*openModel(file("small.ts")), path + ".pt", true); });
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
        QVERIFY(bytes.open(QIODevice::ReadWrite) && bytes.seek(static_cast<qint64>(archive.dataOffset(*weights)) + 1));
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
        const auto module = openModel(file("inside.ts"));
        const auto& report = dynamic_cast<const script::ScriptOrigin&>(*module->origin).report;
        QVERIFY(report.leaves.empty());
        QCOMPARE(report.inBlocks.at("torch.nn.modules.linear.Linear"), 2);
    }

    void inputsOfOtherTypes_areNotGuessed() {
        WorkerClient worker(options());
        RunRequest request;
        request.model = file("inside.ts"), request.anyGuess = true;
        const Error error = failure([&] { worker.run(request); });
        QCOMPARE(error.kind(), ErrorKind::Usage);
        QVERIFY(error.message().is("inputs.cannot_be_guessed"));
    }

    void codeOnLoading_isRunOnlyWhenAsked() {
        const Error error = failure([] { openModel(file("state.ts")); });
        QCOMPARE(error.kind(), ErrorKind::Refused);
        QVERIFY(error.message().is("script.code_on_loading"));
        WorkerClient worker(options());
        QCOMPARE(elementValues(*run(worker, file("state.ts"), {{"x", {2}, "torch.float32", 0}}).output.tensor).size(),
                 2u);
    }

    void quantisedLayers_areModulesWithTheirWeights() {
        for (const char* name : {"quantised.ts", "quantised_traced.ts"}) {
            const auto module = openModel(file(name));
            const Module& conv = *resolvePath(*module->root, "conv").module;
            QCOMPARE(conv.className, std::string("ConvReLU2d"));
            QVERIFY(conv.attribute("weight") && conv.attribute("scale") && conv.attribute("stride"));
            const Module& linear = *resolvePath(*module->root, "linear").module;
            QCOMPARE(linear.classModule, std::string("torch.ao.nn.quantized.modules.linear"));
            QVERIFY(linear.attribute("scale") && linear.child("_packed_params")->attribute("weight"));
            QCOMPARE(blocksOf(*module), 0);
        }
        const auto dynamic = openModel(file("dynamic.ts"));
        const Module& linear = *resolvePath(*dynamic->root, "0").module;
        QCOMPARE(linear.classModule, std::string("torch.ao.nn.quantized.dynamic.modules.linear"));
        const auto* weight = linear.child("_packed_params")->attribute("weight");
        QVERIFY(weight && std::get<TensorPtr>(*weight)->quantizer);
    }

    void packedWeights_areObjectsThatTheGraphReads() {
        WorkerClient worker(options());
        for (const char* name : {"packed.ts", "packed_traced.ts"}) {
            const auto module = openModel(file(name));
            QCOMPARE(blocksOf(*module), 0);
            const PathTarget cell = resolvePath(*module->root, "lstm._all_weight_values.0.param");
            QCOMPARE(cell.kind, PathTarget::Kind::Module);
            QCOMPARE(cell.module->className, std::string("CellParamsBase"));
            QVERIFY(std::get<TensorPtr>(*cell.module->child("weight_hh")->attribute("weight"))->quantizer);
            QVERIFY(text(*module).contains("get_attr[target=lstm._all_weight_values.0.param]"));
            QVERIFY(text(*module).contains("args = ([2, %")); // zeros, not constants of the traced sizes
            const std::vector<double> expected = packedResults(worker, file(name), "run_script");
            QCOMPARE(expected.size(), std::size_t{8});
            QVERIFY(packedResults(worker, file(name), "run") == expected);
            const QTemporaryDir folder;
            const std::string script = folder.filePath("new.ts").toStdString();
            auto edited = std::make_shared<GraphModule>(*module);
            edited->origin = nullptr; // so that the file is not copied
            saveScript(worker, edited, script, {}, true);
            QVERIFY(packedResults(worker, script, "run_script") == expected);
            const std::string saved = folder.filePath("new.pt").toStdString();
            saveGraphModule(*module, saved, true);
            const auto again = openModel(saved);
            const Module& held = *resolvePath(*again->root, "lstm._all_weight_values.1.param").module;
            QCOMPARE(held.className, std::string("CellParamsBase"));
            QVERIFY(held.child("weight_ih") && held.attribute("bias_ih"));
        }
    }

    void sparseTensor_isTakenFromTheFile() {
        const auto module = openModel(file("sparse.ts"));
        QVERIFY(script::isFileObject(*resolvePath(*module->root, "w").module));
        QCOMPARE(static_cast<int>(std::count_if(module->warnings.begin(), module->warnings.end(),
                                                [](const Warning& one) { return one.what.is("script.has_sparse"); })),
                 1);
        const QTemporaryDir folder;
        const std::string written = folder.filePath("new.ts").toStdString();
        auto edited = std::make_shared<GraphModule>(*module);
        edited->origin = nullptr;
        WorkerClient worker(options());
        saveScript(worker, edited, written, {}, true);
        for (const std::string& path : {file("sparse.ts"), written})
            QCOMPARE(elementValues(*run(worker, path, {}, ones()).output.tensor), (std::vector<double>{2, 4}));
    }

    void listThatALoopFills_isGivenBackByItsBlock() {
        const auto module = openModel(file("lists.ts"));
        QCOMPARE(blocksOf(*module), 2); // the loop, and the change of what it gives
        WorkerClient worker(options());
        for (const char* verb : {"run", "run_script"}) {
            ValueTree given;
            given.kind = ValueTree::Kind::Tuple;
            given.items = {ones(), ValueTree::of(Argument(std::int64_t{2}))};
            const auto all = elementValues(*run(worker, file("lists.ts"), {}, given, verb).output.tensor);
            QCOMPARE(all, (std::vector<double>{5, 5, 5, 4, 4, 4, 5, 5, 5, 6, 6, 6}));
        }
    }

    void listsOfKnownLengths_areWalkedTogether() {
        QCOMPARE(blocksOf(*openModel(file("zipped.ts"))), 0);
        WorkerClient worker(options());
        for (const char* verb : {"run", "run_script"})
            QCOMPARE(elementValues(*run(worker, file("zipped.ts"), {}, ones(), verb).output.tensor),
                     (std::vector<double>{1, 1, 1, 2, 2, 2}));
    }

    void longLists_areFollowedAtTheirEnds_andNotWithoutEndInside() {
        const auto module = openModel(file("pops.ts"));
        QCOMPARE(blocksOf(*module), 0);
        QVERIFY(!dynamic_cast<const script::ScriptOrigin&>(*module->origin).report.whole);
        OpenOptions inside;
        inside.modelName = "inside";
        const auto other = openModel(file("pops.ts"), inside);
        QCOMPARE(blocksOf(*other), 1); // the loop, whose copies of the list would be too many
        WorkerClient worker(options());
        for (const char* verb : {"run", "run_script"})
            QCOMPARE(elementValues(*run(worker, file("pops.ts"), {}, ones(), verb).output.tensor),
                     (std::vector<double>{1999001, 1999001, 1999001}));
    }

    void rangeFromTheLeastNumber_staysALoop() {
        QCOMPARE(blocksOf(*openModel(file("low_range.ts"))), 2); // its number of turns, and the loop
        WorkerClient worker(options());
        for (const char* verb : {"run", "run_script"})
            QCOMPARE(elementValues(*run(worker, file("low_range.ts"), {}, ones(), verb).output.tensor),
                     (std::vector<double>{3, 3, 3}));
    }

    void scriptedRnn_keepsItsNonlinearity() {
        const auto model = openModel(file("relu_rnn.ts"));
        const Module* rnn = PathResolver(*model->root).resolve("rnn").module;
        QVERIFY(rnn && rnn->setting("nonlinearity"));
        QVERIFY(*rnn->setting("nonlinearity") == Argument("relu"));
        WorkerClient worker(options());
        QCOMPARE(elementValues(*run(worker, file("relu_rnn.ts"), {}, ones(), "run").output.tensor),
                 elementValues(*run(worker, file("relu_rnn.ts"), {}, ones(), "run_script").output.tensor));
    }

    void givenInputs_giveTheirTypesToAScript() {
        auto module = std::make_shared<GraphModule>(*openModel(file("lists.ts")));
        module->origin = nullptr;
        std::vector<NodeId> placeholders;
        for (const Node& node : module->graph.nodes())
            if (node.op() == Op::Placeholder) placeholders.push_back(node.id());
        for (const NodeId id : placeholders) module->graph.setType(id, nullptr);
        RunRequest inputs;
        inputs.inputs.emplace();
        inputs.inputs->kind = ValueTree::Kind::Tuple;
        inputs.inputs->items = {ones(), ValueTree::of(Argument(std::int64_t{2}))};
        const QTemporaryDir folder;
        const std::string written = folder.filePath("new.ts").toStdString();
        WorkerClient worker(options());
        QVERIFY(saveScript(worker, module, written, inputs, true).verified);
        const auto again = openModel(written);
        QStringList types;
        for (const Node& node : again->graph.nodes())
            if (node.op() == Op::Placeholder) types << QString::fromStdString(script::scriptType(node.type()));
        QCOMPARE(types, QStringList({"Tensor", "int"}));
        const auto all = elementValues(*run(worker, written, {}, inputs.inputs, "run_script").output.tensor);
        QCOMPARE(all, (std::vector<double>{5, 5, 5, 4, 4, 4, 5, 5, 5, 6, 6, 6}));
    }

    void objectOfAFile_isTakenFromIt() {
        const QTemporaryDir folder;
        auto module = std::make_shared<GraphModule>(*openModel(file("packed.ts")));
        const Module& list = *resolvePath(*module->root, "lstm._all_weight_values").module;
        for (std::size_t i = 0; i < 2; ++i) {
            Module& holder = *list.children.at(i).module;
            auto object = std::make_shared<Module>();
            object->className = "CellParamsBase", object->classModule = "__torch__.torch.classes.rnn";
            object->attributes.emplace_back("path", Argument(file("packed.ts")));
            object->attributes.emplace_back("attribute",
                                            Argument("lstm._all_weight_values." + std::to_string(i) + ".param"));
            holder.children.front().module = object;
            QVERIFY(script::isFileObject(*object));
        }
        module->origin = nullptr;
        const std::string script = folder.filePath("new.ts").toStdString();
        WorkerClient worker(options());
        saveScript(worker, module, script, {}, true);
        QVERIFY(packedResults(worker, script, "run_script") == packedResults(worker, file("packed.ts"), "run_script"));
        const Error error = failure([&] { saveGraphModule(*module, folder.filePath("new.pt").toStdString(), true); });
        QVERIFY(error.message().is("script.object_in_python"));
    }

    void librariesOfTheProgram_reachWorkersWithoutTheirOwn() {
        setOperatorLibraries({"/nowhere/operators.so"});
        const Error error = failure([] { WorkerClient(options()).start({}); });
        setOperatorLibraries({});
        QCOMPARE(error.kind(), ErrorKind::Run);
        WorkerClient(options()).start({});
    }

    void objectsOfTheScript_areFollowed() {
        const auto module = openModel(file("objects.ts"));
        QCOMPARE(blocksOf(*module), 0);
        QVERIFY(text(*module).contains("get_attr[target=pair.a]"));
        QCOMPARE(text(*module).count("torch.ops.aten.sub.Tensor"), 2);
        const QTemporaryDir folder;
        const std::string script = folder.filePath("new.ts").toStdString();
        WorkerClient worker(options());
        auto edited = std::make_shared<GraphModule>(*module);
        edited->origin = nullptr;
        saveScript(worker, edited, script, {}, true);
        for (const auto& [path, verb] : {std::pair(file("objects.ts"), "run"), std::pair(script, "run_script")}) {
            const ValueTree got = run(worker, path, {}, ones(), verb).output;
            QVERIFY(elementValues(*got.items.at(0).tensor) == std::vector<double>({3, 3, 3}));
            QVERIFY(elementValues(*got.items.at(1).tensor) == std::vector<double>({4, 4, 4}));
        }
    }

    void interface_isTheClassOfItsObject() {
        const auto module = openModel(file("interface.ts"));
        QCOMPARE(blocksOf(*module), 0);
        QVERIFY(text(*module).contains("torch.ops.aten.mul.Scalar"));
        WorkerClient worker(options());
        QVERIFY(elementValues(*run(worker, file("interface.ts"), {}, ones()).output.tensor) ==
                std::vector<double>({3, 3, 3}));
    }

    void loopWithAReturn_startsWithValuesThatAreNotSet() {
        WorkerClient worker(options());
        ValueTree given;
        given.kind = ValueTree::Kind::Tuple;
        given.items = {ones(), ValueTree::of(Argument(5))};
        for (const char* verb : {"run", "run_script"}) {
            const ValueTree got = run(worker, file("early.ts"), {}, given, verb).output;
            QVERIFY(elementValues(*got.tensor) == std::vector<double>({7, 7, 7}));
        }
    }

    void onlyTheStateOfQuantisedLayersIsHarmless() {
        const std::string place = "x/code/__torch__/torch/ao/nn/quantized/modules/conv.py";
        const std::string head = "class Conv2d(Module):\n  def __setstate__(self: Conv2d,\n    state: Tuple[int]) -> "
                                 "NoneType:\n";
        QVERIFY(!script::runsOnLoading(place, head + "    self.groups = (state)[0]\n    return None\n"));
        QVERIFY(script::runsOnLoading("x/code/__torch__.py", head + "    self.groups = (state)[0]\n"));
        for (const char* line : {"    torch.save(state, _0)\n", "    while True:\n", "   x = 1\n", "\n    x = f(1)\n",
                                 "    self.w = (self).other(1, )\n", "    x = (1,\n"})
            QVERIFY2(script::runsOnLoading(place, head + line), line);
    }

    void trouble_isAnErrorThatTheWorkerSurvives() {
        WorkerClient worker(options());
        worker.start();
        const pid_t process = worker.processId();
        const Error raised = failure([&] { run(worker, file("raises.ts"), {}, ones(), "run_script"); });
        QCOMPARE(raised.kind(), ErrorKind::Run);
        QVERIFY2(QByteArray(raised.what()).contains("too large"), raised.what());
        const Error damaged = failure([&] { run(worker, file("damaged.ts"), {}, ones()); });
        QCOMPARE(damaged.kind(), ErrorKind::File);
        QVERIFY2(QByteArray(damaged.what()).contains("aten::rely"), damaged.what());
        QCOMPARE(failure([&] { run(worker, file("nothing.ts"), {}); }).kind(), ErrorKind::File);
        QCOMPARE(worker.processId(), process);
    }

    void graphs_areChosenByName() {
        const auto module = openModel(file("traced.ts"));
        QCOMPARE(module->modelNames, (std::vector<std::string>{"forward", "forward (operators only)"}));
        QCOMPARE(module->modelName, std::string("forward"));
        const auto chosen = openModel(file("traced.ts"), {module->modelNames[1], true});
        QCOMPARE(text(*chosen), text(*openModel(file("traced.ts"), {{}, false})));
        QCOMPARE(chosen->modelName, module->modelNames[1]);
        QVERIFY(failure([] { openModel(file("traced.ts"), {"backward", true}); }).message().is("script.no_method"));
    }

    void methods_areGraphs_andAreWrittenAlone() {
        auto encode = openModel(file("methods.ts"), {"encode", true});
        QCOMPARE(encode->modelNames.size(), std::size_t{4});
        QCOMPARE(text(*openModel(file("methods.ts") + "#encode")), text(*encode));
        QVERIFY2(text(*encode).contains("placeholder[target=by](default=2.0)"), qPrintable(text(*encode)));
        QVERIFY(foresee(*openModel(file("methods.ts")), savedAs("net.ts")).empty());
        const auto points = foresee(*encode, savedAs("net.ts"));
        QCOMPARE(points.size(), std::size_t{2});
        QVERIFY(points[1].what.is("foresee.method_is_forward"));
        QVERIFY(points[0].what.is("foresee.methods_lost") && points[0].kind == Foreseen::Kind::Lost);
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
        readScriptsByWorker({{"/nowhere/lancet-worker"}, true, 0});
        const Error error = failure([] { openModel(file("traced.ts")); });
        readScriptsByWorker(options());
        QCOMPARE(error.kind(), ErrorKind::Run);
        QVERIFY2(QByteArray(error.what()).contains("lancet-worker"), error.what());
    }
};

QTEST_GUILESS_MAIN(TestScript)
#include "tst_script.moc"
