// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/edit/recipe.h"
#include "core/edit/steps/steps.h"
#include "core/model_files/foresee.h"
#include "core/module/read_only.h"
#include "core/passes/manager/pass_manager.h"
#include "core/remote/save_model.h"
#include "core/remote/save_script.h"
#include "core/remote/verify_message.h"
#include "core/remote/worker_client.h"
#include "core/tensor/elements.h"
#include "tests/app/worker/open_script.h"
#include "tests/app/worker/script_fixture.h"
#include "tests/failure.h"

#include <QTemporaryDir>

using namespace fx;
using namespace fx::remote;

/// Scripts that assign to their own attributes: their graph is one call of the file.
class TestScriptState : public ScriptFixture {
    Q_OBJECT

    static std::vector<RandomInput> inputs(std::int64_t rate) {
        RandomInput number;
        number.name = "rate", number.sizes = {rate}; // as `--input rate=16000` is read
        return {{"x", {2, 20}, "torch.float32", 0}, number};
    }
    static VerifyReport verified(const std::string& a, const std::string& b) {
        WorkerClient worker(options());
        VerifyRequest request;
        request.run.model = a, request.other = b;
        request.run.random = inputs(16000);
        return verify(worker, request, {}, {});
    }
    static std::set<std::string> targets(const GraphModule& module) {
        std::set<std::string> out;
        for (const Node& node : module.graph.nodes()) out.insert(node.target());
        return out;
    }
    static std::shared_ptr<GraphModule> renamed(const std::string& path) {
        auto module = openScript(path);
        module->graph.setNameUnchecked(module->graph.order().front(), "renamed");
        return module;
    }

private Q_SLOTS:
    void inside_showsModulesBlocksAndAttributes() {
        const auto whole = openScript(file("streams.ts"));
        QVERIFY(script::isScriptFile(*whole->root->child("script")));
        const std::string name = "forward" + std::string(kInsideGraph);
        QCOMPARE(std::count(whole->modelNames.begin(), whole->modelNames.end(), name), 1);
        const auto inside = openScript(file("streams.ts") + "#" + name);
        QCOMPARE(inside->modelName, name);
        QVERIFY(isReadOnly(*inside));
        const std::set<std::string> all = targets(*inside);
        for (const char* target :
             {"encoder.conv", "encoder.norm", "encoder.act", "cell", "out", "torch.ops.prim.If", "torch.ops.prim.Loop",
              "torch.ops.prim.GetAttr", "torch.ops.prim.SetAttr", "torch.ops.aten.sigmoid.default"})
            QVERIFY2(all.contains(target), target);
        const Module* conv = resolvePath(*inside->root, "encoder.conv").module;
        QVERIFY(conv);
        QCOMPARE(conv->qualifiedType(), std::string("torch.nn.modules.conv.Conv1d"));
        const Node& assigned = inside->graph.node(inside->graph.find("set_seen"));
        QCOMPARE(assigned.args()[0], Argument("seen"));
        // the same graph is in the one call
        const auto* origin = dynamic_cast<const script::ScriptOrigin*>(whole->origin.get());
        QVERIFY(origin->inside);
        QCOMPARE(text(*origin->inside), text(*inside));
    }
    void inside_ofOtherScripts_isNotListed() {
        for (const std::string& name : openScript(file("traced.ts"))->modelNames)
            QVERIFY2(!name.ends_with(kInsideGraph), name.c_str());
    }
    /// The nodes of a branch or loop are in a group of their own, of the module that runs it.
    void inside_groupsBlocks() {
        const auto inside = openScript(file("streams.ts") + "#forward" + std::string(kInsideGraph));
        std::set<std::string> groups;
        for (const Node& node : inside->graph.nodes())
            for (const ModuleFrame& frame : node.meta().moduleStack) groups.insert(frame.path);
        QVERIFY(groups.contains("if_0_then"));
        QVERIFY(std::any_of(groups.begin(), groups.end(), [](const auto& each) { return each.starts_with("loop_"); }));
        int loops = 0;
        for (const Node& node : inside->graph.nodes()) {
            if (node.target() != "torch.ops.prim.Loop") continue;
            ++loops;
            QCOMPARE(node.args().size(), std::size_t{4}); // how often, whether at all, before, after
        }
        QCOMPARE(loops, 1);
    }
    void inside_isReadOnly() {
        const QTemporaryDir folder;
        const std::shared_ptr<GraphModule> inside =
            openScript(file("streams.ts") + "#forward" + std::string(kInsideGraph));
        GraphModule changed = *inside;
        const auto steps =
            parseRecipe(R"({"lancet_recipe": 1, "steps": [{"step": "rename", "node": "x", "name": "y"}]})");
        Warnings warnings;
        const std::string path = folder.filePath("x.json").toStdString();
        for (const Error& error : {failure([&] { applySteps(changed, steps); }), failure([&] {
                                       runPasses(changed, {{"dead_code", {}}}, warnings);
                                   }),
                                   failure([&] { saveModel(inside, path, {}, {}); })})
            QVERIFY2(error.message().is("script.read_only"), error.what());
        QVERIFY(!QFile::exists(QString::fromStdString(path)));
    }
    void inside_runsTheFile() {
        WorkerClient worker(options());
        const std::string path = file("streams.ts");
        const auto values = [&](const std::string& model) {
            return elementValues(*run(worker, model, inputs(16000)).output.tensor);
        };
        QCOMPARE(values(path + "#forward" + std::string(kInsideGraph)), values(path));
    }

    /// What the next call would see stays in the file: a graph would start each call anew.
    void keptValues_stayInTheFile_data() {
        QTest::addColumn<QByteArray>("name");
        QTest::newRow("None in the file") << QByteArray("optional_state.ts");
        QTest::newRow("list of results") << QByteArray("list_state.ts");
        QTest::newRow("list of counts") << QByteArray("list_count.ts");
        QTest::newRow("item of a list") << QByteArray("list_item.ts");
    }
    void keptValues_stayInTheFile() {
        QFETCH(QByteArray, name);
        const auto module = openScript(file(name.constData()));
        const Module* script = module->root->child("script");
        QVERIFY(script);
        QVERIFY(script::isScriptFile(*script));
    }
    void valuesOfEachCall_areInTheGraph() {
        const auto module = openScript(file("moved_list.ts"));
        QVERIFY(!module->root->child("script"));
        QVERIFY(targets(*module).contains("torch.ops.aten.to.dtype"));
        QVERIFY(targets(*module).contains("torch.ops.aten.arange.default"));
    }

    /// `--input rate=16000` is a number where the script declares one.
    void numbers_areInputs() {
        WorkerClient worker(options());
        const std::string path = file("streams.ts");
        const auto at = [&](std::int64_t rate) {
            return elementValues(*run(worker, path, inputs(rate)).output.tensor);
        };
        QVERIFY(at(16000) != at(8000));
    }

    /// Calls one after another tell files apart that keep different numbers and lists.
    void verify_comparesStateOfNumbersAndLists() {
        QVERIFY(verified(file("streams.ts"), file("streams.ts")).agrees());
        const VerifyReport report = verified(file("counts.ts"), file("counts_once.ts"));
        QVERIFY(!report.agrees());
        QVERIFY2(report.reason.text().find("call 2") != std::string::npos, report.reason.text().c_str());
        QVERIFY(verified(file("counts.ts"), file("counts.ts")).agrees());
    }

    /// A file that is called as a whole keeps its other methods in a written one, with their defaults.
    void otherMethods_areWritten() {
        const QTemporaryDir folder;
        const std::string path = folder.filePath("again.ts").toStdString();
        const std::shared_ptr<GraphModule> module = renamed(file("streams.ts"));
        for (const Foreseen& point : foresee(*module, savedAs(path))) QVERIFY(!point.what.is("foresee.methods_lost"));
        WorkerClient worker(options());
        RunRequest request;
        request.random = inputs(16000);
        const SaveReport saved = saveScript(worker, module, path, request, true);
        QVERIFY(saved.verified);
        const auto again = openScript(path);
        const auto& names = again->modelNames;
        QVERIFY(std::find(names.begin(), names.end(), "reset") != names.end());
        const auto reset = openScript(path + "#reset");
        const Node& rate = reset->graph.node(reset->graph.find("rate"));
        QCOMPARE(rate.args().at(0), Argument(8000));
    }
};

QTEST_GUILESS_MAIN(TestScriptState)
#include "tst_script_state.moc"
