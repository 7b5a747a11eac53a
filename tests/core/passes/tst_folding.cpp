// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/module/module_editor.h"
#include "core/passes/graph_tensors.h"
#include "tests/core/passes/pass_fixture.h"

#include <QtTest>

using namespace fx;

/// Normalisations are folded only where the values stay the same. The numbers are compared in tests/oracle/folding.py.
class TestFolding : public PassFixture {
    Q_OBJECT

    struct Folded {
        GraphModule model;
        QStringList statements, warnings;
    };
    static Folded folded(GraphModule model, const QByteArray& pass, const QByteArray& settings,
                         TensorEngine* engine = nullptr) {
        Warnings warnings;
        Folded out{std::move(model), {}, {}};
        runOn(out.model, pass, settings, engine, &warnings);
        out.statements = statements(out.model);
        for (const Warning& each : warnings) out.warnings << QString::fromStdString(each.what.code()).mid(7);
        return out;
    }
    static GraphModule layerAndNorm(const QByteArray& layer, const QByteArray& norm) {
        return module("self.l = nn." + layer + "; self.n = nn." + norm, "return self.n(self.l(x))");
    }
    static Module& writable(ModuleEditor& editor, const char* path) { return *editor.writable(path); }

private Q_SLOTS:
    void axis_mustBeThatOfTheChannels_data() {
        QTest::addColumn<QByteArray>("layer");
        QTest::addColumn<QByteArray>("norm");
        QTest::addColumn<int>("dimensions"); // of the value; 0: unknown
        QTest::addColumn<bool>("guessed");
        QTest::addColumn<QByteArray>("pass");
        QTest::addColumn<bool>("folds");
        QTest::addColumn<QString>("warning");
        const auto row = [](const char* name, const char* layer, const char* norm, int dimensions, const char* pass,
                            bool folds, const char* warning, bool guessed = false) {
            QTest::newRow(name) << QByteArray(layer) << QByteArray(norm) << dimensions << guessed << QByteArray(pass)
                                << folds << QString(warning);
        };
        constexpr auto kLinear = "Linear(3, 4)", kNorm = "BatchNorm1d(4)", kFuse = "conv_bn_fuse{}",
                       kAsTorch = R"(conv_bn_fuse{"as_torch_fx": true})",
                       kInference = R"(optimize_for_inference{"mkldnn_layout_optimize": false})";
        row("a matrix", kLinear, kNorm, 2, kFuse, true, "");
        row("a sequence", kLinear, kNorm, 3, kFuse, false, "norm_axis");
        row("unknown", kLinear, kNorm, 0, kFuse, false, "norm_axis_unknown");
        row("guessed", kLinear, kNorm, 2, kFuse, false, "norm_axis_unknown", true);
        row("one feature", kLinear, "BatchNorm1d(1)", 0, kFuse, true, "");
        row("images after a linear layer", kLinear, "BatchNorm2d(4)", 0, kFuse, false, "norm_axis");
        row("a signal", "Conv1d(3, 4, 1)", kNorm, 3, kFuse, true, "");
        row("a signal without batch", "Conv1d(3, 4, 1)", kNorm, 2, kFuse, false, "norm_axis");
        row("a transposed signal without batch", "ConvTranspose1d(3, 4, 1)", kNorm, 2, kFuse, false, "norm_axis");
        row("images, by the class", "Conv2d(3, 4, 1)", "BatchNorm2d(4)", 0, kFuse, true, "");
        row("inference: a matrix", kLinear, kNorm, 2, kInference, true, "");
        row("inference: a sequence", kLinear, kNorm, 3, kInference, false, "norm_axis");
        row("inference: unknown", kLinear, kNorm, 0, kInference, false, "norm_axis_unknown");
        row("as torch.fx: a matrix", kLinear, kNorm, 2, kAsTorch, true, "");
        row("as torch.fx: a sequence", kLinear, kNorm, 3, kAsTorch, true, "norm_axis_torch_fx");
        row("as torch.fx: unknown", kLinear, kNorm, 0, kAsTorch, true, "norm_axis_assumed");
    }
    void axis_mustBeThatOfTheChannels() {
        QFETCH(QByteArray, layer);
        QFETCH(QByteArray, norm);
        QFETCH(int, dimensions);
        QFETCH(bool, guessed);
        QFETCH(QByteArray, pass);
        OneElement engine;
        engine.dimensions = static_cast<std::size_t>(dimensions), engine.guessed = guessed;
        const auto brace = pass.indexOf('{');
        const Folded result =
            folded(layerAndNorm(layer, norm), pass.left(brace), pass.mid(brace), dimensions > 0 ? &engine : nullptr);
        QTEST(!result.statements.join('|').contains("self.n("), "folds");
        QTEST(result.warnings.join(' '), "warning");
    }

    void onednn_keepsNormsOverOtherDimensions() {
        GraphModule model = layerAndNorm("Linear(3, 4)", "BatchNorm1d(4)");
        OneElement engine;
        engine.dimensions = 3;
        Warnings warnings;
        const auto notes = runPasses(model, {{"onednn", {}}}, warnings, {}, &engine)[0].notes;
        QVERIFY(statements(model).join('|').contains("self.n("));
        QVERIFY(std::any_of(notes.begin(), notes.end(),
                            [](const Warning& note) { return note.what.is("passes.norm_axis") && note.node == "n"; }));
    }

    /// One pair that cannot be folded does not keep others from it.
    void otherPairs_areFolded_data() {
        QTest::addColumn<QByteArray>("layers"); // l, n
        QTest::addColumn<QString>("warning");
        QTest::newRow("other sizes") << QByteArray("nn.Conv2d(3, 4, 1); self.n = nn.BatchNorm2d(3)") << "channels";
        QTest::newRow("other dtypes") << QByteArray(
                                             "nn.Conv2d(3, 4, 1); self.n = nn.BatchNorm2d(4, dtype=torch.float64)")
                                      << "weights_dtype";
        QTest::newRow("half precision")
            << QByteArray("nn.Conv2d(3, 4, 1, dtype=torch.bfloat16); self.n = nn.BatchNorm2d(4, dtype=torch.bfloat16)")
            << "weights_dtype";
    }
    void otherPairs_areFolded() {
        QFETCH(QByteArray, layers);
        const GraphModule model =
            module("self.l = " + layers + "; self.c = nn.Conv2d(4, 4, 1); self.m = nn.BatchNorm2d(4)",
                   "return self.m(self.c(self.n(self.l(x))))");
        const Folded result = folded(model, "conv_bn_fuse", "{}");
        QCOMPARE(result.statements.join('|'), QString("l = self.l(x)|n = self.n(l)|c = self.c(n)|return c"));
        QTEST(result.warnings.join(' '), "warning");
        QVERIFY_THROWS_EXCEPTION(Error, folded(model, "conv_bn_fuse", R"({"as_torch_fx": true})"));
    }

    void modes_ofOneModule() {
        const auto inTraining = [](const char* path) {
            GraphModule model = layerAndNorm("Conv2d(3, 4, 1)", "BatchNorm2d(4)");
            ModuleEditor(model).writable(path)->training = true;
            return model;
        };
        const Folded norm = folded(inTraining("n"), "conv_bn_fuse", "{}");
        QVERIFY(norm.statements.join('|').contains("self.n("));
        QCOMPARE(norm.warnings, QStringList{"norm_trains"});
        QVERIFY(!folded(inTraining("l"), "conv_bn_fuse", "{}").statements.join('|').contains("self.n("));
        for (const char* path : {"l", "n"})
            QVERIFY_THROWS_EXCEPTION(Error, folded(inTraining(path), "conv_bn_fuse", R"({"as_torch_fx": true})"));
        GraphModule whole = inTraining("n");
        ModuleEditor(whole).writable("")->training = true;
        QVERIFY_THROWS_EXCEPTION(Error, folded(whole, "conv_bn_fuse", "{}"));
    }

    void tensorsReadElsewhere_stay_data() {
        QTest::addColumn<QByteArray>("more");
        QTest::addColumn<QByteArray>("body");
        QTest::newRow("the weight by name")
            << QByteArray("pass") << QByteArray("return self.n(self.l(x)) * self.l.weight.sum()");
        QTest::newRow("the bias by name")
            << QByteArray("pass") << QByteArray("return self.n(self.l(x)) + self.l.bias[0]");
        QTest::newRow("the same layer by another path")
            << QByteArray("self.k = self.l") << QByteArray("return self.n(self.l(x)) + self.k.weight.sum()");
    }
    void tensorsReadElsewhere_stay() {
        QFETCH(QByteArray, more);
        QFETCH(QByteArray, body);
        const Folded result = folded(module("self.l = nn.Conv2d(3, 4, 1); self.n = nn.BatchNorm2d(4); " + more, body),
                                     "conv_bn_fuse", "{}");
        QVERIFY2(result.statements.join('|').contains("self.n("), qPrintable(result.statements.join('|')));
        QCOMPARE(result.warnings, QStringList{"module_shared"});
    }
    /// A call of a module around the layer reads its weights, by whatever path.
    void layersInsideCalledModules_stay() {
        GraphModule model = layerAndNorm("Conv2d(3, 4, 1)", "BatchNorm2d(4)");
        {
            ModuleEditor editor(model);
            auto block = emptyModule("net.Block");
            block->children.push_back({"inner", resolvePath(*model.root, "l").shared});
            QVERIFY(editor.add("block", block));
        }
        const NodeId output = model.graph.outputNode();
        model.graph.setInsertPoint({InsertPoint::Side::Before, output});
        const NodeId call = model.graph.createNode(Op::CallModule, "block", {model.graph.find("x")});
        model.graph.setInsertPoint({});
        model.graph.setArgs(output, {Argument::tuple({model.graph.find("n"), call})});
        const Folded result = folded(std::move(model), "conv_bn_fuse", "{}");
        QVERIFY(result.statements.join('|').contains("self.n("));
        QCOMPARE(result.warnings, QStringList{"module_shared"});
    }

    /// Python's `conv.weight = nn.Parameter(...)`, whatever the weight was before.
    void buffersAndMissingBiases_becomeParameters() {
        GraphModule model = layerAndNorm("Conv2d(3, 4, 1)", "BatchNorm2d(4)");
        {
            ModuleEditor editor(model);
            Module& layer = writable(editor, "l");
            layer.buffers.push_back({"weight", layer.tensor("weight"), true});
            layer.parameters.clear();
        }
        const Folded result = folded(std::move(model), "conv_bn_fuse", "{}");
        QCOMPARE(result.statements.join('|'), QString("l = self.l(x)|return l"));
        const Module& layer = *result.model.root->child("l");
        QVERIFY(layer.buffers.empty());
        QVERIFY(layer.parameter("weight"));
        QVERIFY(layer.parameter("bias"));
    }
    void plainTensorsOfLayers_stay() {
        GraphModule model = layerAndNorm("Conv2d(3, 4, 1)", "BatchNorm2d(4)");
        {
            ModuleEditor editor(model);
            Module& layer = writable(editor, "l");
            layer.attributes.emplace_back("bias", layer.tensor("bias"));
            layer.parameters.pop_back();
        }
        QVERIFY(folded(std::move(model), "conv_bn_fuse", "{}").statements.join('|').contains("self.n("));
    }
    void hookedModules_stay() {
        for (const char* path : {"l", "n"}) {
            GraphModule model = layerAndNorm("Conv2d(3, 4, 1)", "BatchNorm2d(4)");
            model.warnings.push_back({Message("graphmodule.forward_hooks", {{"module", path}}), {}, path, {}});
            const Folded result = folded(std::move(model), "conv_bn_fuse", "{}");
            QVERIFY(result.statements.join('|').contains("self.n("));
            QCOMPARE(result.warnings, QStringList{"module_hooked"});
        }
    }

    /// Sizes that no layer of PyTorch has are refused before an element is read.
    void hostileSizes_stay_data() {
        QTest::addColumn<QByteArray>("layer");
        QTest::addColumn<QString>("what"); // is replaced by a tensor of two elements, or a number of groups
        for (const char* what : {"running_mean", "running_var", "weight", "bias"})
            QTest::newRow(what) << QByteArray("ConvTranspose2d(4, 4, 1)") << QString(what);
        QTest::newRow("bias of the layer") << QByteArray("Conv2d(4, 4, 1)") << QString("layer");
        for (const char* groups : {"0", "3", "-2", "4611686018427387904"})
            QTest::newRow(groups) << QByteArray("ConvTranspose2d(4, 4, 1)") << QString(groups);
    }
    void hostileSizes_stay() {
        QFETCH(QByteArray, layer);
        QFETCH(QString, what);
        GraphModule model = layerAndNorm(layer, "BatchNorm2d(4)");
        {
            auto two = std::make_shared<TensorRef>();
            two->sizes = {2}, two->strides = {1};
            two->storage = Storage::inMemory(std::vector<std::byte>(8));
            ModuleEditor editor(model);
            bool isNumber = false;
            const qlonglong groups = what.toLongLong(&isNumber);
            Module &changed = writable(editor, "l"), &norm = writable(editor, "n");
            for (auto& [name, value] : changed.attributes)
                if (isNumber && name == "groups") value = Argument(static_cast<std::int64_t>(groups));
            if (what == "layer") setTensor(editor, "l.bias", two);
            for (auto* slots : {&norm.parameters, &norm.buffers})
                for (auto& slot : *slots)
                    if (what == QString::fromStdString(slot.name)) slot.tensor = two;
        }
        const Folded result = folded(std::move(model), "conv_bn_fuse", "{}");
        QVERIFY(result.statements.join('|').contains("self.n("));
        QCOMPARE(result.warnings, QStringList{"channels"});
    }
};

QTEST_APPLESS_MAIN(TestFolding)
#include "tst_folding.moc"
