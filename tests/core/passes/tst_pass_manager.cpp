// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codegen/python_code.h"
#include "core/edit/recipe.h"
#include "core/edit/steps/steps.h"
#include "core/passes/manager/pass_bisect.h"
#include "core/passes/manager/pass_pipeline.h"
#include "core/python/tracing/trace_definition.h"
#include "core/trace/callables.h"

#include <QtTest>

using namespace fx;

namespace {

/// Turns each torch.relu into torch.sigmoid; the second one it breaks, so that lint or the check fails.
bool breakSecondRelu(const PassRun& run, bool lintFails) {
    int seen = 0;
    bool changed = false;
    for (const NodeId id : run.graph().order()) {
        if (run.graph().node(id).target() != "torch.relu") continue;
        const bool isSecond = ++seen == 2;
        changed |= run.rewrite(id, [&] {
            run.graph().setCallable(id, resolveCallable(isSecond && !lintFails ? "torch.tanh" : "torch.sigmoid"));
            if (isSecond && lintFails) run.graph().moveBefore(id, run.graph().first());
        });
    }
    return changed;
}

PassRequest own(const char* name, std::function<bool(const PassRun&)> run) {
    PassRequest request{name, {}};
    request.own = std::move(run);
    return request;
}

QStringList namesOf(const std::vector<PassRequest>& passes) {
    QStringList out;
    for (const PassRequest& pass : passes) out += QString::fromStdString(passLabel(pass));
    return out;
}

GraphModule relus() { return traceFunctionSource("def net(x):\n    return torch.relu(torch.relu(torch.relu(x)) + 1)"); }

/// Notes everything that it is told.
class Log : public PassInstrument {
public:
    QStringList lines;
    void beforePass(const PassPlace& place, const GraphModule&) override { note("before " + place.pass); }
    void afterPass(const PassPlace& place, const GraphModule&, const PassReport& report) override {
        note("after " + place.pass + " " + std::to_string(report.rewrites));
    }
    bool beforeRewrite(const RewritePlace& rewrite, const GraphModule&) override {
        note("rewrite " + std::to_string(rewrite.number) + " " + rewrite.node);
        return true;
    }
    void afterRewrite(const RewritePlace&, const GraphModule&) override { note("rewritten"); }

private:
    void note(const std::string& text) { lines += QString::fromStdString(text); }
};

} // namespace

class TestPassManager : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// Also the graphs that higher-order operators call are linted.
    void passThatLosesANestedGraph_isRefused() {
        GraphModule model = relus();
        const NodeId graph = model.graph.createNode(Op::GetAttr, "true_graph_0");
        model.subgraphs = {{"true_graph_0", std::make_shared<GraphModule>(relus())}};
        PassManager manager;
        manager.addPass(own("lose", [](const PassRun& run) {
            run.model.subgraphs.clear();
            return true;
        }));
        Warnings warnings;
        QVERIFY_THROWS_EXCEPTION(Error, manager.run(model, warnings));
        QCOMPARE(model.subgraphs.size(), 1u);
        QCOMPARE(model.graph.node(graph).target(), std::string("true_graph_0"));
    }

    void schedule_isSortedAsInTorchFx_data() {
        QTest::addColumn<QStringList>("passes");
        QTest::addColumn<QStringList>("constraints"); // "a<b"
        QTest::addColumn<QStringList>("sorted");
        // From torch.fx.passes.infra.pass_manager._topological_sort_passes
        QTest::newRow("none") << QStringList{"b", "a"} << QStringList() << QStringList{"b", "a"};
        QTest::newRow("one") << QStringList{"b", "a"} << QStringList{"a<b"} << QStringList{"a", "b"};
        QTest::newRow("breadth first") << QStringList{"d", "c", "b", "a"} << QStringList{"a<c", "b<d"}
                                       << QStringList{"b", "a", "d", "c"};
        QTest::newRow("chain") << QStringList{"c", "b", "a"} << QStringList{"a<b", "b<c"} << QStringList{"a", "b", "c"};
        QTest::newRow("twice, free") << QStringList{"a", "a", "b"} << QStringList{"a<b"} << QStringList{"a", "a", "b"};
        QTest::newRow("twice, waiting") << QStringList{"b", "b", "a"} << QStringList{"a<b"} << QStringList{"a", "b"};
    }
    void schedule_isSortedAsInTorchFx() {
        QFETCH(QStringList, passes);
        QFETCH(QStringList, constraints);
        PassSchedule schedule;
        for (const QString& name : passes) schedule.passes.push_back({name.toStdString(), {}});
        for (const QString& each : constraints)
            schedule.constraints.push_back(
                thisBeforeThat(each.section('<', 0, 0).toStdString(), each.section('<', 1).toStdString()));
        schedule.solve();
        QTEST(namesOf(schedule.passes), "sorted");
        schedule.validate();
    }

    void cycle_isNamed() {
        PassSchedule schedule;
        for (const char* name : {"x", "a", "b", "c"}) schedule.passes.push_back({name, {}});
        schedule.constraints = {thisBeforeThat("a", "b"), thisBeforeThat("b", "c"), thisBeforeThat("c", "a"),
                                thisBeforeThat("c", "x")};
        try {
            schedule.solve();
            QFAIL("it was solved");
        } catch (const Error& error) {
            QVERIFY(error.message().is("passes.cycle"));
            const QString cycle = QString::fromStdString(error.message().argument("cycle"));
            QVERIFY2(QStringList({"a before b before c before a", "b before c before a before b",
                                  "c before a before b before c"})
                         .contains(cycle),
                     qPrintable(cycle));
        }
    }

    void wrongOrder_isRefused() {
        PassSchedule schedule{{{"b", {}}, {"a", {}}}, {thisBeforeThat("a", "b")}};
        QVERIFY_THROWS_EXCEPTION(Error, schedule.validate());
        schedule.passes[0].times = 3; // a loop is another pass, unless constraints unwrap it
        schedule.validate();
        schedule.constraints = {PassConstraint{"a", "b", true}};
        QVERIFY_THROWS_EXCEPTION(Error, schedule.validate());
        schedule.solve();
        QCOMPARE(namesOf(schedule.passes), QStringList({"a", "loop_pass(b)"}));
    }

    void steps_endWhenNothingChanges() {
        int runs = 0;
        PassManager manager(PassSchedule{{own("count", [&](const PassRun&) { return ++runs < 3; })}, {}});
        manager.steps = 10;
        GraphModule model = relus();
        Warnings warnings;
        QCOMPARE(manager.run(model, warnings).size(), std::size_t{3});
        QCOMPARE(runs, 3);
        runs = 0, manager.steps = 2;
        QVERIFY(anyChanged(manager.run(model, warnings)));
        QCOMPARE(runs, 2);
    }

    void loops_runSeveralTimes() {
        int runs = 0;
        PassRequest loop = own("count", [&](const PassRun&) { return ++runs < 5; });
        loop.times = 3;
        GraphModule model = relus();
        Warnings warnings;
        runPasses(model, {loop}, warnings);
        QCOMPARE(runs, 3);
        loop.times = 0, runs = 0;
        runPasses(model, {loop}, warnings);
        QCOMPARE(runs, 5);
        loop.own = [](const PassRun&) { return true; };
        QVERIFY_THROWS_EXCEPTION(Error, runPasses(model, {loop}, warnings)); // it never says that it is done
    }

    void checks_runBeforeAndAfterEach() {
        int checks = 0;
        PassManager manager(PassSchedule{{{"dead_code", {}}, {"cse", {}}}, {}});
        manager.addCheck([&](const GraphModule&) { ++checks; });
        GraphModule model = relus();
        Warnings warnings;
        manager.run(model, warnings);
        QCOMPARE(checks, 1);
        manager.runChecksAfterEachPass = true;
        manager.run(model, warnings);
        QCOMPARE(checks, 4);
        manager.addCheck([](const GraphModule&) { throw Error(ErrorKind::Refused, Message("passes.unstable")); });
        QVERIFY_THROWS_EXCEPTION(Error, manager.run(model, warnings));
        manager.suppressCheckFailures = true;
        manager.run(model, warnings);
        QCOMPARE(warnings.size(), std::size_t{3});
    }

    void failure_changesNothing() {
        GraphModule model = relus();
        const std::string before = generatePython(model.graph).text;
        PassManager manager(PassSchedule{{own("fine", [](const PassRun& run) { return breakSecondRelu(run, false); }),
                                          own("late", [](const PassRun& run) { return breakSecondRelu(run, true); }),
                                          own("bad",
                                              [](const PassRun& run) {
                                                  run.graph().moveBefore(run.graph().find("add"), run.graph().first());
                                                  return true;
                                              })},
                                         {}});
        Warnings warnings;
        try {
            manager.run(model, warnings);
            QFAIL("lint failed to see it");
        } catch (const Error& error) {
            QVERIFY(error.message().is("passes.failed"));
            QCOMPARE(error.message().argument("pass"), std::string("bad"));
        }
        QCOMPARE(generatePython(model.graph).text, before);
    }

    void instruments_seeEverything() {
        GraphModule model =
            traceFunctionSource("def net(x):\n    y = torch.neg(x)\n    return torch.relu(x) + torch.relu(x)");
        Log log;
        PassManager manager(PassSchedule{{{"dead_code", {}}, {"cse", {}}}, {}});
        manager.instruments = {&log};
        Warnings warnings;
        manager.run(model, warnings);
        QCOMPARE(log.lines, QStringList({"before dead_code", "rewrite 1 neg", "rewritten", "after dead_code 1",
                                         "before cse", "rewrite 1 relu_1", "rewritten", "after cse 1"}));
    }

    void limit_stopsRewrites() {
        GraphModule model = relus();
        RewriteLimit limit(1);
        PassManager manager(
            PassSchedule{{own("p", [](const PassRun& run) { return breakSecondRelu(run, false); })}, {}});
        manager.instruments = {&limit};
        Warnings warnings;
        QCOMPARE(manager.run(model, warnings).at(0).rewrites, std::size_t{1});
        QCOMPARE(limit.last().node, std::string("relu"));
        QCOMPARE(QString::fromStdString(generatePython(model.graph).text).count("torch.relu("), 2);
    }

    void bisection_findsPassAndRewrite_data() {
        QTest::addColumn<bool>("lint");
        QTest::newRow("lint") << true;
        QTest::newRow("check") << false;
    }
    void bisection_findsPassAndRewrite() {
        QFETCH(bool, lint);
        const PassManager manager(PassSchedule{
            {{"dead_code", {}}, own("p", [=](const PassRun& run) { return breakSecondRelu(run, lint); }), {"cse", {}}},
            {}});
        const ModelCheck check = [](const GraphModule& model) {
            for (const Node& node : model.graph.nodes())
                if (node.target() == "torch.tanh") throw Error(ErrorKind::Refused, Message("passes.unstable"));
        };
        Warnings warnings;
        const auto found = bisectPasses(relus(), manager, lint ? ModelCheck() : check, warnings);
        QVERIFY(found);
        QCOMPARE(found->pass, std::string("p"));
        QCOMPARE(found->index, std::size_t{1});
        QVERIFY(found->rewrite);
        QCOMPARE(found->rewrite->number, std::size_t{2});
        QCOMPARE(found->rewrite->node, std::string("relu_1"));
        if (!lint)
            QCOMPARE(found->after.graph.node(found->after.graph.find("relu_1")).target(), std::string("torch.tanh"));
        QCOMPARE(found->before.graph.node(found->before.graph.find("relu")).target(), std::string("torch.sigmoid"));
    }
    void bisection_ofGoodPasses_findsNothing() {
        Warnings warnings;
        QVERIFY(!bisectPasses(relus(), PassManager(PassSchedule{{{"dead_code", {}}, {"cse", {}}}, {}}), {}, warnings));
    }

    void pipeline_isReadAndRun() {
        const auto document = JsonDocument::parse(
            R"({"passes": [{"name": "cse", "settings": {"safe": false}}, "dead_code",
                           {"name": "normalize_operators", "until_unchanged": true}, {"name": "dead_code", "times": 2}],
                "constraints": [["dead_code", "cse"], {"before": "normalize_operators", "after": "cse", "loops": true}],
                "steps": 3})");
        PassManager manager = readPipeline(document->root());
        QCOMPARE(manager.steps, std::size_t{3});
        manager.solveConstraints();
        QCOMPARE(namesOf(manager.passes()),
                 QStringList({"dead_code", "loop_pass(normalize_operators)", "loop_pass(dead_code)", "cse"}));
        GraphModule model = traceFunctionSource("def net(x):\n    return torch.add(x, 1) * torch.add(x, 1)");
        Warnings warnings;
        QVERIFY(anyChanged(manager.run(model, warnings)));
        QCOMPARE(model.graph.size(), std::size_t{4});
    }

    void wrongPipelines_areRefused_data() {
        QTest::addColumn<QByteArray>("json");
        QTest::newRow("no passes") << QByteArray("{}");
        QTest::newRow("unknown key") << QByteArray(R"({"passes": [], "step_count": 2})");
        QTest::newRow("unknown pass") << QByteArray(R"({"passes": ["csee"]})");
        QTest::newRow("unknown setting") << QByteArray(R"({"passes": [{"name": "cse", "settings": {"x": 1}}]})");
        QTest::newRow("steps") << QByteArray(R"({"passes": ["cse"], "steps": 0})");
        QTest::newRow("times") << QByteArray(R"({"passes": [{"name": "cse", "times": -1}]})");
        QTest::newRow("constraint") << QByteArray(R"({"passes": ["cse"], "constraints": [{"before": "cse"}]})");
    }
    void wrongPipelines_areRefused() {
        QFETCH(QByteArray, json);
        const auto document = JsonDocument::parse(json.toStdString());
        QVERIFY_THROWS_EXCEPTION(Error, readPipeline(document->root()));
    }

    void recipe_mayHaveAPipeline() {
        GraphModule model = traceFunctionSource("def net(x):\n    return torch.add(x, 1) * torch.add(x, 1)");
        const StepList recipe = parseRecipe(R"({"lancet_recipe": 1, "steps": [{"step": "passes", "passes":
            ["normalize_operators", "cse"], "constraints": [["cse", "normalize_operators"]]}]})");
        const EditEffect effect = applySteps(model, recipe);
        QCOMPARE(effect.erased.size(), std::size_t{1});
        QVERIFY(effect.warnings.empty());
        QCOMPARE(applySteps(model, recipe).warnings.size(), std::size_t{1}); // nothing to do
    }
};

QTEST_APPLESS_MAIN(TestPassManager)
#include "tst_pass_manager.moc"
