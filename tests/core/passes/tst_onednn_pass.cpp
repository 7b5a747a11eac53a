// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/module/module_editor.h"
#include "core/passes/manager/pass_manager.h"
#include "tests/core/passes/pass_fixture.h"

#include <QtTest>

using namespace fx;

/// The pass onednn keeps what is faster.
class TestOnednnPass : public PassFixture {
    Q_OBJECT

private Q_SLOTS:
    void optimizeForInference_keepsLongSubgraphsInMkldnnLayout() {
        const GraphModule before =
            module("self.a = nn.Conv2d(3, 4, 3); self.b = nn.BatchNorm2d(4); self.c = nn.Conv2d(4, 4, 1, "
                   "padding_mode='reflect')",
                   "y = torch.relu(self.a(x))\n        return self.c(torch.tanh(self.b(y + y) + 1))");
        GraphModule model = before;
        QVERIFY(runOn(model, "optimize_for_inference"));
        QCOMPARE(statements(model).join('|'),
                 QString("to_mkldnn = x.to_mkldnn()|a = self.a(to_mkldnn)|relu = torch.relu(a)|add = relu + relu|"
                         "b = self.b(add)|to_dense_3 = b.to_dense()|add_1 = to_dense_3 + 1|tanh = torch.tanh(add_1)|"
                         "c = self.c(tanh)|return c"));
        QCOMPARE(model.root->child("a")->qualifiedType(), std::string("torch.utils.mkldnn.MkldnnConv2d"));
        QCOMPARE(model.root->child("b")->className, std::string("MkldnnBatchNorm"));
        QCOMPARE(model.root->child("c")->className, std::string("Conv2d"));
        model = before;
        QVERIFY(!runOn(model, "optimize_for_inference", R"({"mkldnn_layout_optimize": false})"));
        OneElement engine;
        engine.ratio = 1.5;
        const QByteArray autotuner = R"({"mkldnn_layout_optimize": {"heuristic": "gen_mkl_autotuner"}})";
        QVERIFY(!runOn(model, "optimize_for_inference", autotuner, &engine));
        QCOMPARE(statements(model), statements(before));
        QCOMPARE(model.root->child("a")->className, std::string("Conv2d"));
        engine.ratio = 0.5;
        QVERIFY(runOn(model, "optimize_for_inference", autotuner, &engine));
        QVERIFY_THROWS_EXCEPTION(Error, runOn(model, "optimize_for_inference", autotuner));
    }

    void onednn_makesModulesOfFasterLayers() {
        GraphModule model =
            module("self.a = nn.Conv2d(3, 4, 3); self.b = nn.BatchNorm2d(4); self.c = nn.Conv2d(4, 4, 1)",
                   "y = torch.relu(self.b(self.a(x)))\n        z = torch.relu(self.c(y) + y)\n"
                   "        return z.view(-1)");
        OneElement engine;
        QVERIFY(runOn(model, "onednn", "{}", &engine));
        QCOMPARE(statements(model).join('|'),
                 QString("a_fused = self.a_fused(x)|c_fused = self.c_fused(a_fused)|contiguous = "
                         "c_fused.contiguous()|view = contiguous.view(-1)|return view"));
        const Module* fused = model.root->child("c_fused");
        QVERIFY(fused);
        QVERIFY(onednn::kernelOf(*fused) == onednn::Kernel::OneDnn);
        QVERIFY(onednn::asFusedLayer(*fused->graphModule));
        QVERIFY(!model.root->child("a"));
        QVERIFY(!model.root->child("b"));
        QVERIFY(!model.root->child("c"));
    }
    void onednn_leavesASlowerModelAlone() {
        GraphModule model = module("self.l = nn.Linear(3, 4)", "return torch.relu(self.l(x))");
        const QStringList before = statements(model);
        OneElement engine;
        engine.ratio = 1.1;
        QVERIFY(!runOn(model, "onednn", "{}", &engine));
        engine.ratio = 0.5, engine.plainMs = 0.5;
        QVERIFY(!runOn(model, "onednn", "{}", &engine));
        QCOMPARE(statements(model), before);
    }
    void onednn_keepsOnlyWhatIsShownToBeFaster_data() {
        QTest::addColumn<double>("high");
        QTest::addColumn<int>("rounds");
        QTest::addColumn<QString>("code");
        QTest::newRow("shown") << 0.7 << 30 << "passes.onednn_whole";
        QTest::newRow("the interval includes slower") << 1.9 << 30 << "passes.onednn_not_faster";
        QTest::newRow("one sample") << 0.5 << 1 << "passes.onednn_few";
    }
    void onednn_keepsOnlyWhatIsShownToBeFaster() {
        QFETCH(double, high);
        QFETCH(int, rounds);
        QFETCH(QString, code);
        GraphModule model = module("self.l = nn.Linear(3, 4)", "return torch.relu(self.l(x))");
        const QStringList before = statements(model);
        OneElement engine;
        engine.high = high, engine.rounds = static_cast<std::size_t>(rounds);
        engine.doubts = {Message("timing.steal", {{"share", "9 %"}})};
        Warnings warnings;
        const auto reports = runPasses(model, {{"onednn", {}}}, warnings, {}, &engine);
        const bool isKept = code == "passes.onednn_whole";
        QCOMPARE(anyChanged(reports), isKept);
        QCOMPARE(statements(model) == before, !isKept);
        QCOMPARE(reports[0].rewrites > 0, isKept);
        const Warnings& notes = reports[0].notes;
        QCOMPARE(QString::fromStdString(notes.back().what.code()), code);
        QCOMPARE(notes.front().what.is("passes.onednn_fused"), isKept); // of a model that stays, nothing is fused
        QCOMPARE(notes.front().what.is("passes.onednn_stays"), !isKept);
        QVERIFY(warnings.size() == 1);
        QVERIFY(warnings[0].what.is("timing.steal"));
    }
    /// The report also lists folded normalisations and layers without kernels.
    void onednn_tellsWhatIsFoldedAndWhatHasNoKernel() {
        GraphModule model =
            module("self.a = nn.Conv2d(3, 4, 1); self.b = nn.BatchNorm2d(4); self.c = nn.Conv1d(4, 4, 1)",
                   "return self.c(torch.relu(self.b(self.a(x))).flatten(2))");
        const GraphModule before = model;
        OneElement engine;
        Warnings warnings;
        const auto notes = runPasses(model, {{"onednn", {}}}, warnings, {}, &engine)[0].notes;
        const auto noteOf = [](const Warnings& all, const char* code) {
            const auto found =
                std::find_if(all.begin(), all.end(), [code](const Warning& note) { return note.what.is(code); });
            return found == all.end() ? Warning() : *found;
        };
        QCOMPARE(noteOf(notes, "passes.onednn_folded").what.argument("nodes"), std::string("a + b"));
        QCOMPARE(noteOf(notes, "passes.onednn_one_dimension").node, std::string("c"));
        model = before;
        engine.ratio = 1.5;
        const auto stays = runPasses(model, {{"onednn", {}}}, warnings, {}, &engine)[0].notes;
        QCOMPARE(noteOf(stays, "passes.onednn_folded_stays").what.argument("nodes"), std::string("a + b"));
        QVERIFY(noteOf(stays, "passes.onednn_folded").what.code().empty());
    }
    /// The median of the fused runs alone would be 0.4.
    void onednn_tellsMillisecondsOfTheSameStatistic() {
        GraphModule model = module("self.l = nn.Linear(3, 4)", "return torch.relu(self.l(x))");
        OneElement engine;
        engine.ratio = 0.5, engine.afterMs = 0.4;
        Warnings warnings;
        const auto notes = runPasses(model, {{"onednn", {}}}, warnings, {}, &engine)[0].notes;
        QCOMPARE(notes.back().what.argument("before"), std::string("1"));
        QCOMPARE(notes.back().what.argument("after"), std::string("0.5"));
        QCOMPARE(notes.back().what.argument("factor"), std::string("2"));
        engine.plainMs = 0.2; // a kernel takes 5 times that
        model = module("self.l = nn.Linear(3, 4)", "return torch.relu(self.l(x))");
        QVERIFY(
            runPasses(model, {{"onednn", {}}}, warnings, {}, &engine)[0].notes.front().what.is("passes.onednn_slower"));
    }
    void onednn_triesSmallGainsTogether() {
        GraphModule model = module("self.l = nn.Linear(3, 4)", "return torch.relu(self.l(x))");
        OneElement engine;
        engine.plainMs = 1.01, engine.layerNoise = 0.05;
        Warnings warnings;
        const auto reports = runPasses(model, {{"onednn", {}}}, warnings, {}, &engine);
        QVERIFY(anyChanged(reports));
        QVERIFY(reports[0].notes.front().what.is("passes.onednn_together"));
        QCOMPARE(engine.compared, 2U);
    }
    void onednn_namesNoiseAsTheReason() {
        GraphModule model = module("self.l = nn.Linear(3, 4)", "return torch.relu(self.l(x))");
        OneElement engine;
        engine.plainMs = 1.5, engine.layerNoise = 0.4, engine.high = 1.2;
        Warnings warnings;
        const auto reports = runPasses(model, {{"onednn", {}}}, warnings, {}, &engine);
        QVERIFY(!anyChanged(reports));
        const Message& why = reports[0].notes.front().what;
        QVERIFY2(why.is("passes.onednn_layer_noise"), why.text().c_str());
        QVERIFY2(why.argument("noise") == "40", why.text().c_str());
    }
    void onednn_fusesSlowerConvolutionsWhereTheModelGetsFaster() {
        const GraphModule before =
            module("self.c = nn.Conv2d(3, 4, 3); self.p = nn.MaxPool2d(2)", "return self.p(self.c(x))");
        OneElement engine;
        engine.plainMs = 0.5;
        GraphModule model = before;
        QVERIFY(runOn(model, "onednn", "{}", &engine));
        QCOMPARE(engine.compared, 2U);
        QCOMPARE(statements(model).join('|'), QString("c_fused = self.c_fused(x)|p = self.p(c_fused)|return p"));
        engine.ratio = 1.1, model = before;
        QVERIFY(!runOn(model, "onednn", "{}", &engine));
        QCOMPARE(statements(model), statements(before));
    }
    void onednn_refusesModelsInTraining() {
        GraphModule model = module("self.l = nn.Linear(3, 4); self.d = nn.Dropout(0.5)", "return self.d(self.l(x))");
        ModuleEditor(model).writable("d")->training = true;
        OneElement engine;
        try {
            runOn(model, "onednn", "{}", &engine);
            QFAIL("it was not refused");
        } catch (const Error& error) { QVERIFY2(QString(error.what()).contains("training mode"), error.what()); }
    }
};

QTEST_APPLESS_MAIN(TestOnednnPass)
#include "tst_onednn_pass.moc"
