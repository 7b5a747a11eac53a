// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/zip/zip_archive.h"
#include "core/ir/ph.h"
#include "core/model_files/save_description.h"
#include "core/model_files/save_graphmodule.h"
#include "core/remote/save_script.h"
#include "core/remote/shapes_message.h"
#include "core/tensor/elements.h"
#include "core/torchscript/called_file.h"
#include "core/torchscript/code_on_loading.h"
#include "core/torchscript/input_types.h"
#include "core/torchscript/torchscript.h"
#include "tests/app/worker/open_script.h"
#include "tests/app/worker/script_fixture.h"
#include "tests/failure.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

using namespace fx;
using namespace fx::remote;

/// Inputs, objects, lists and packed weights of scripts.
class TestScriptValues : public ScriptFixture {
    Q_OBJECT

    /// What packed.ts gives for three random indices, as one list.
    static std::vector<double> packedResults(WorkerClient& worker, const std::string& path, const char* verb) {
        std::vector<double> out;
        for (const ValueTree& item : run(worker, path, {{"x", {3}, "torch.int64", 5}}, {}, verb).output.items)
            for (const double value : elementValues(*item.tensor)) out.push_back(value);
        return out;
    }

private Q_SLOTS:
    void fixedInputs_decideBranches() {
        OpenOptions with;
        with.source.concrete = {{"bias", Argument()}, {"mask", phArgument()}, {"double", Argument(true)}};
        const auto module = openScript(file("branches.ts"), with);
        QCOMPARE(blocksOf(*module), 0);
        QVERIFY(text(*module).contains("torch.ops.aten.mul.Tensor](args = (%x, %mask)"));
        QVERIFY(text(*module).contains("torch.ops.aten.add.Tensor"));
        const Node& flag = module->graph.node(module->graph.find("double"));
        QVERIFY(flag.args() == std::vector<Argument>{Argument(true)}); // who leaves it out means that graph
        with.source.concrete = {{"bias", Argument()}, {"double", phArgument()}};
        QCOMPARE(blocksOf(*openScript(file("branches.ts"), with)), 1); // a flag that is given is not known
        with.source.concrete = {{"double", Argument()}};
        QVERIFY(QByteArray(failure([&] { openScript(file("branches.ts"), with); }).what())
                    .contains("cannot fix input 'double' of type bool to None"));
        with.source.concrete = {{"other", Argument(true)}};
        QVERIFY(QByteArray(failure([&] { openScript(file("branches.ts"), with); }).what())
                    .contains("'forward' has no input 'other'"));
    }

    void fixedInputs_areCheckedInTheWrittenFile() {
        OpenOptions with;
        with.source.concrete = {{"bias", Argument()}};
        const QTemporaryDir folder;
        const std::string path = folder.filePath("fixed.ts").toStdString();
        WorkerClient worker(options());
        const std::shared_ptr<const GraphModule> module = openScript(file("branches.ts"), with);
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

    void inputsThatAreChanged_areFreshForTheWrittenFile() {
        auto module = openScript(file("overwrites.ts"));
        module->origin.reset();
        RunRequest inputs;
        inputs.inputs.emplace();
        inputs.inputs->kind = ValueTree::Kind::Tuple;
        inputs.inputs->items = {ones()};
        const QTemporaryDir folder;
        WorkerClient worker(options());
        QVERIFY(saveScript(worker, std::move(module), folder.filePath("new.ts").toStdString(), inputs, true).verified);
    }

    void inputsOfOtherTypes_areNotGuessed() {
        WorkerClient worker(options());
        RunRequest request;
        request.model = file("inside.ts"), request.anyGuess = true;
        const Error error = failure([&] { worker.run(request); });
        QCOMPARE(error.kind(), ErrorKind::Usage);
        QVERIFY(error.message().is("inputs.cannot_be_guessed"));
    }

    /// LibTorch does not see the file until somebody runs it: its graph is one call of it.
    void codeOnLoading_isRunOnlyWhenAsked() {
        const std::shared_ptr<const GraphModule> module = openScript(file("state.ts"));
        QVERIFY2(text(*module).contains("%script : [num_users=1] = call_module[target=script](args = (%x,)"),
                 qPrintable(text(*module)));
        QVERIFY(std::ranges::any_of(module->warnings, [](const Warning& warning) {
            return warning.what.is("script.whole_file") && warning.what.argument("cause") == "script.code_on_loading";
        }));
        WorkerClient worker(options());
        ShapesRequest shapes{RunRequest{}, true, true, true};
        shapes.run.model = module, shapes.run.anyGuess = true;
        const NodeShapes byItself = shapesResult(worker.call(toFrame(shapes, worker.nextNumber(), true), {}, {}));
        QVERIFY(!byItself.ran);
        QVERIFY(std::ranges::any_of(byItself.failures,
                                    [](const auto& each) { return each.what.is("engine.not_inferred"); }));
        const auto values = [&](const std::string& path) {
            RunRequest request;
            request.model = std::shared_ptr<const GraphModule>(openScript(path));
            request.random = {{"x", {2}, "torch.float32", 0}};
            return elementValues(*worker.run(request).output.tensor);
        };
        const auto expected = values(file("state.ts"));
        QCOMPARE(expected.size(), 2u);
        QTemporaryDir folder;
        const std::string copy = folder.filePath("copy.ts").toStdString(),
                          json = folder.filePath("x.json").toStdString();
        saveScript(worker, module, copy, {}, true); // the whole file, methods and state
        QCOMPARE(values(copy), expected);
        saveDescription(*module, json, true);
        QCOMPARE(values(json), expected);
    }

    void quantisedLayers_areModulesWithTheirWeights() {
        for (const char* name : {"quantised.ts", "quantised_traced.ts"}) {
            const auto module = openScript(file(name));
            const Module& conv = *resolvePath(*module->root, "conv").module;
            QCOMPARE(conv.className, std::string("ConvReLU2d"));
            QVERIFY(conv.attribute("weight"));
            QVERIFY(conv.attribute("scale"));
            QVERIFY(conv.attribute("stride"));
            const Module& linear = *resolvePath(*module->root, "linear").module;
            QCOMPARE(linear.classModule, std::string("torch.ao.nn.quantized.modules.linear"));
            QVERIFY(linear.attribute("scale"));
            QVERIFY(linear.child("_packed_params")->attribute("weight"));
            QCOMPARE(blocksOf(*module), 0);
        }
        const auto dynamic = openScript(file("dynamic.ts"));
        const Module& linear = *resolvePath(*dynamic->root, "0").module;
        QCOMPARE(linear.classModule, std::string("torch.ao.nn.quantized.dynamic.modules.linear"));
        const auto* weight = linear.child("_packed_params")->attribute("weight");
        QVERIFY(weight);
        QVERIFY(std::get<TensorPtr>(*weight)->quantizer);
    }

    void packedWeights_areObjectsThatTheGraphReads() {
        WorkerClient worker(options());
        for (const char* name : {"packed.ts", "packed_traced.ts"}) {
            const auto module = openScript(file(name));
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
            const auto again = openScript(saved);
            const Module& held = *resolvePath(*again->root, "lstm._all_weight_values.1.param").module;
            QCOMPARE(held.className, std::string("CellParamsBase"));
            QVERIFY(held.child("weight_ih"));
            QVERIFY(held.attribute("bias_ih"));
        }
    }

    void sparseTensor_isTakenFromTheFile() {
        const auto module = openScript(file("sparse.ts"));
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
        const auto module = openScript(file("lists.ts"));
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
        QCOMPARE(blocksOf(*openScript(file("zipped.ts"))), 0);
        WorkerClient worker(options());
        for (const char* verb : {"run", "run_script"})
            QCOMPARE(elementValues(*run(worker, file("zipped.ts"), {}, ones(), verb).output.tensor),
                     (std::vector<double>{1, 1, 1, 2, 2, 2}));
    }

    void longLists_areFollowedAtTheirEnds_andNotWithoutEndInside() {
        const auto module = openScript(file("pops.ts"));
        QCOMPARE(blocksOf(*module), 0);
        QVERIFY(!dynamic_cast<const script::ScriptOrigin&>(*module->origin).report.whole);
        OpenOptions inside;
        inside.modelName = "inside";
        const auto other = openScript(file("pops.ts"), inside);
        QCOMPARE(blocksOf(*other), 1); // the loop, whose copies of the list would be too many
        WorkerClient worker(options());
        for (const char* verb : {"run", "run_script"})
            QCOMPARE(elementValues(*run(worker, file("pops.ts"), {}, ones(), verb).output.tensor),
                     (std::vector<double>{1999001, 1999001, 1999001}));
    }

    void rangeFromTheLeastNumber_staysALoop() {
        QCOMPARE(blocksOf(*openScript(file("low_range.ts"))), 2); // its number of turns, and the loop
        WorkerClient worker(options());
        for (const char* verb : {"run", "run_script"})
            QCOMPARE(elementValues(*run(worker, file("low_range.ts"), {}, ones(), verb).output.tensor),
                     (std::vector<double>{3, 3, 3}));
    }

    void scriptedRnn_keepsItsNonlinearity() {
        const auto model = openScript(file("relu_rnn.ts"));
        const Module* rnn = PathResolver(*model->root).resolve("rnn").module;
        QVERIFY(rnn);
        QVERIFY(rnn->setting("nonlinearity"));
        QVERIFY(*rnn->setting("nonlinearity") == Argument("relu"));
        WorkerClient worker(options());
        QCOMPARE(elementValues(*run(worker, file("relu_rnn.ts"), {}, ones(), "run").output.tensor),
                 elementValues(*run(worker, file("relu_rnn.ts"), {}, ones(), "run_script").output.tensor));
    }

    void givenInputs_giveTheirTypesToAScript() {
        auto module = std::make_shared<GraphModule>(*openScript(file("lists.ts")));
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
        const auto again = openScript(written);
        QStringList types;
        for (const Node& node : again->graph.nodes())
            if (node.op() == Op::Placeholder) types << QString::fromStdString(script::scriptType(node.type()));
        QCOMPARE(types, QStringList({"Tensor", "int"}));
        const auto all = elementValues(*run(worker, written, {}, inputs.inputs, "run_script").output.tensor);
        QCOMPARE(all, (std::vector<double>{5, 5, 5, 4, 4, 4, 5, 5, 5, 6, 6, 6}));
    }

    void objectOfAFile_isTakenFromIt() {
        const QTemporaryDir folder;
        auto module = std::make_shared<GraphModule>(*openScript(file("packed.ts")));
        const Module& list = *resolvePath(*module->root, "lstm._all_weight_values").module;
        const std::string digest = script::contentDigest(ZipArchive::open(DataFile::open(file("packed.ts"))));
        for (std::size_t i = 0; i < 2; ++i) {
            Module& holder = *list.children.at(i).module;
            auto object = std::make_shared<Module>();
            object->className = "CellParamsBase", object->classModule = "__torch__.torch.classes.rnn";
            object->attributes.emplace_back("path", Argument(file("packed.ts")));
            object->attributes.emplace_back(script::kDigest, Argument(digest));
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

    void libraries_reachTheWorkerThatDescribesScripts() {
        OpenOptions with;
        with.readers.script = scriptsByWorker({{LANCET_WORKER}, true, 0, false, {}, {"/nowhere/operators.so"}});
        const Error error = failure([&] { fx::openModel(file("traced.ts"), with); });
        QCOMPARE(error.kind(), ErrorKind::Run);
    }

    void objectsOfTheScript_areFollowed() {
        const auto module = openScript(file("objects.ts"));
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
        const auto module = openScript(file("interface.ts"));
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
};

QTEST_GUILESS_MAIN(TestScriptValues)
#include "tst_script_values.moc"
