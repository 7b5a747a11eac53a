// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/edit/history.h"
#include "core/edit/recipe.h"
#include "core/edit/steps/steps.h"
#include "core/ir/print.h"
#include "core/python/tracing/trace_definition.h"
#include "tests/failure.h"
#include "tests/json_steps.h"
#include "tests/sanitized.h"

#include <QtTest>

using namespace fx;

/// Effects are compared with torch.fx in tests/oracle/edits.py; here: refusals leave the model as it was, and speed.
class TestSteps : public QObject {
    Q_OBJECT

    static StepList recipe(const QByteArray& steps) {
        return parseRecipe(("{\"lancet_recipe\": 1, \"steps\": [" + steps + "]}").toStdString());
    }
    static GraphModule net() {
        return traceFunctionSource("def net(x, y):\n    a = torch.relu(x)\n    b = torch.neg(a)\n    return b + y\n");
    }

private Q_SLOTS:
    void refusedStep_leavesTheModel_data() {
        QTest::addColumn<QByteArray>("steps");
        QTest::addColumn<QString>("why");
        const QByteArray good =
            R"({"step": "rename", "node": "neg", "name": "other"}, {"step": "set_training", "value": false}, )";
        QTest::newRow("users") << good + R"({"step": "erase", "node": "relu"})"
                               << "1 users";
        QTest::newRow("no node") << good + R"({"step": "erase", "node": "nope"})"
                                 << "unknown node 'nope'";
        QTest::newRow("no step") << good + R"({"step": "nope"})"
                                 << "unknown step 'nope'";
        QTest::newRow("no name") << good + R"({"node": "relu"})"
                                 << "missing key";
        QTest::newRow("unknown key") << good + R"({"step": "erase", "node": "add", "force": true})"
                                     << "unknown key 'force'";
        QTest::newRow("missing key") << good + R"({"step": "rename", "node": "add"})"
                                     << "missing key 'name'";
        QTest::newRow("used before it is defined")
            << good + R"({"step": "set_args", "node": "relu", "args": [{"node": "add"}]})"
            << "before it has been defined";
        QTest::newRow("module that is not there")
            << good + R"({"step": "insert_after", "node": "relu", "op": "call_module", "target": "no.where"})"
            << "unknown module 'no.where'";
        QTest::newRow("function without a name")
            << good + R"({"step": "insert_after", "node": "relu", "op": "call_function", "target": "a b", )"
                      R"("args": []})"
            << "not a function name";
        QTest::newRow("unknown class") << good + R"({"step": "add_module", "path": "m", "module": {"type": )"
                                                 R"("my.Own"}})"
                                       << "unknown PyTorch module class";
        QTest::newRow("part of a script") << good + R"({"step": "add_module", "path": "m", "module": {"type": )"
                                                    R"("torchscript.ScriptBlock"}})"
                                          << "kept as TorchScript cannot be edited";
        QTest::newRow("missing setting")
            << good + R"({"step": "add_module", "path": "m", "module": {"type": "torch.nn.Linear"}})"
            << "needs a value for 'in_features'";
        QTest::newRow("odd value") << good + R"({"step": "set_args", "node": "relu", "args": [{"what": 1}]})"
                                   << "unknown object \"what\"";
        QTest::newRow("computed value")
            << good + R"x({"step": "set_args", "node": "relu", "args": [{"repr": "torch.zeros(2)"}]})x"
            << "computed";
        QTest::newRow("wrong kind") << good + R"({"step": "erase", "node": 5})"
                                    << "step 3";
        QTest::newRow("rules") << good + R"({"step": "partition", "rules": {"supported": [{"traget": "*"}]}})"
                               << "unknown key 'traget' of a rule";
        QTest::newRow("fuse and split")
            << good + R"({"step": "partition", "rules": {"unsupported": []}, "fuse": true, "split": true})"
            << "not both";
        QTest::newRow("neither rules nor stages") << good + R"({"step": "partition"})"
                                                  << "'rules', 'assignment' or 'stages'";
        QTest::newRow("too many stages") << good + R"({"step": "partition", "stages": 9})"
                                         << "at most 3 stages, the number of calls of the model, got 9";
        QTest::newRow("stages by time") << good + R"({"step": "partition", "stages": 2, "balance": "time"})"
                                        << "missing key 'times'";
        QTest::newRow("second output")
            << good + R"({"step": "insert_before", "node": "output", "op": "output", "target": "output"})"
            << "one output";
    }
    void refusedStep_leavesTheModel() {
        QFETCH(QByteArray, steps);
        QFETCH(QString, why);
        GraphModule model = net();
        const std::string before = graphText(model.graph);
        const Error error = failure([&] { applySteps(model, recipe(steps)); });
        QCOMPARE(error.kind(), ErrorKind::Refused);
        QVERIFY2(QString::fromStdString(error.what()).contains(why), error.what());
        QCOMPARE(graphText(model.graph), before);
        QVERIFY(model.root->training);
    }

    void defaults_thatPythonDoesNotRead_refused_data() {
        QTest::addColumn<QByteArray>("steps");
        QTest::addColumn<QString>("why");
        QTest::addColumn<QString>("node");
        const QByteArray set = R"({"step": "set_args", "node": "y", "args": [)";
        QTest::newRow("another input") << set + R"({"node": "x"}]})"
                                       << "is the node x"
                                       << "y";
        QTest::newRow("another input, inside") << set + R"([1, {"node": "x"}]]})"
                                               << "is the node x"
                                               << "y";
        QTest::newRow("name of another input") << set + R"({"repr": "x"}]})"
                                               << "is not a value that a graph can hold"
                                               << "y";
        QTest::newRow("two words") << set + R"({"repr": "one two"}]})"
                                   << "is not a value that a graph can hold"
                                   << "y";
        QTest::newRow("a function") << set + R"({"repr": "torch.relu"}]})"
                                    << "is not a value that a graph can hold"
                                    << "y";
        QTest::newRow("prints as no expression")
            << set + R"({"dict": [["a", {"repr": "torch.ops.aten.relu.default"}]]}]})"
            << "not a Python expression"
            << "y";
        QTest::newRow("before one without")
            << QByteArray(R"({"step": "set_args", "node": "x", "args": [1]})") << "follows x"
            << "y";
        QTest::newRow("moved before one without") << set + R"(1]}, {"step": "move", "node": "y", "before": )"
                                                           R"("x"})"
                                                  << "follows y"
                                                  << "x";
        QTest::newRow("inserted behind one with")
            << set + R"(1]}, {"step": "insert_after", "node": "y", "op": "placeholder", "target": "z"})"
            << "follows y"
            << "z";
        QTest::newRow("of what is left over")
            << QByteArray(R"({"step": "insert_after", "node": "y", "op": "placeholder", "target": "*more", "args": )"
                          R"([1]})")
            << "Python allows no default"
            << "_more";
    }
    void defaults_thatPythonDoesNotRead_refused() {
        QFETCH(QByteArray, steps);
        QFETCH(QString, why);
        GraphModule model = net();
        const Error error = failure([&] { applySteps(model, recipe(steps)); });
        QCOMPARE(error.kind(), ErrorKind::Refused);
        QVERIFY2(QString::fromStdString(error.what()).contains(why), error.what());
        QTEST(QString::fromStdString(error.node), "node");
        QVERIFY(!error.hint.empty());
    }

    void defaults_thatPythonReads_areTaken() {
        GraphModule model = net();
        for (const char* value : {"null", "1", "-1e-5", "\"a'b\\n\"", R"({"repr": "inf"})",
                                  R"({"repr": "torch.float32"})", R"x({"repr": "device('cpu')"})x",
                                  R"({"tuple": [1, {"slice": [0, null, 2]}]})", R"({"dict": [["a", [true]]]})"})
            applySteps(model, recipe(QByteArray(R"({"step": "set_args", "node": "y", "args": [)") + value + "]}"));
        applySteps(model,
                   recipe(R"({"step": "insert_after", "node": "y", "op": "placeholder", "target": "*more", "name": )"
                          R"("more"}, {"step": "insert_after", "node": "more", "op": "placeholder", "target": "z"})"));
        QCOMPARE(model.graph.node(model.graph.find("z")).op(), Op::Placeholder);
    }

    void graphsInsideTheGraph_areNotMissing() {
        GraphModule model = net();
        model.subgraphs.emplace_back("true_graph_0", std::make_shared<GraphModule>());
        model.graph.setInsertPoint({InsertPoint::Side::Before, model.graph.find("relu")});
        model.graph.createNode(Op::GetAttr, "true_graph_0");
        model.graph.setInsertPoint({});
        applySteps(model, recipe(R"({"step": "rename", "node": "true_graph_0", "name": "yes"})"));
        QVERIFY(model.graph.find("yes") != kNoNode);
    }

    void malformedValue_saysWhatToWrite_data() {
        QTest::addColumn<QByteArray>("keys");
        QTest::addColumn<QString>("why");
        QTest::addColumn<QString>("hint");
        QTest::newRow("kwargs as a value")
            << QByteArray(R"("kwargs": {"dict": [["alpha", 2]]})") << "an argument called dict"
            << R"({"dim": 1})";
        QTest::newRow("kwargs as a list")
            << QByteArray(R"("kwargs": [["alpha", 2]])") << "expected an object of keyword arguments"
            << R"({"dim": 1})";
        QTest::newRow("args as a value") << QByteArray(R"("args": {"node": "relu"})") << "expected a list of values"
                                         << R"([{"node": "relu"}, 1])";
        QTest::newRow("dict as an object")
            << QByteArray(R"("args": [{"dict": {"a": 1}}])") << "expected a list of values"
            << R"({"dict": [["key", 1]]})";
        QTest::newRow("entry of a dict") << QByteArray(R"("args": [{"dict": ["a", 1]}])")
                                         << "expected a key and a value"
                                         << R"({"dict": [["key", 1]]})";
        QTest::newRow("text as repr") << QByteArray(R"("args": [{"repr": "cpu"}])") << "'cpu' is not a value"
                                      << R"(device('cpu'); a text is written plainly: "cpu")";
        QTest::newRow("number as repr") << QByteArray(R"("args": [{"repr": 5}])") << "expected a string"
                                        << "torch.float32";
        QTest::newRow("slice") << QByteArray(R"("args": [{"slice": [1]}])")
                               << "expected three values: start, stop, step"
                               << "[start, stop, step]";
        QTest::newRow("tuple") << QByteArray(R"("args": [{"tuple": 1}])") << "expected a list of values"
                               << R"({"tuple": [1, 2]})";
        QTest::newRow("node") << QByteArray(R"("args": [{"node": 1}])") << "expected the name of a node"
                              << R"({"node": "relu"})";
    }
    void malformedValue_saysWhatToWrite() {
        QFETCH(QByteArray, keys);
        QFETCH(QString, why);
        QFETCH(QString, hint);
        GraphModule model = net();
        try {
            applySteps(model, recipe(R"({"step": "set_args", "node": "add", )" + keys + "}"));
            QFAIL("it was not refused");
        } catch (const Error& error) {
            QVERIFY2(QString::fromStdString(error.what()).contains(why), error.what());
            QVERIFY2(QString::fromStdString(error.hint).contains(hint), error.hint.c_str());
            QVERIFY2(error.where.find("$.steps[0].") == 0, error.where.c_str());
        }
        applySteps(
            model,
            recipe(R"({"step": "set_args", "node": "add", "kwargs": {"dict": [1, 2]}})")); // an argument of that name
    }

    void partition_fusesOrSplitsAndLaterStepsUseTheResult() {
        GraphModule fused = net();
        const Graph before = fused.graph;
        const EditEffect effect =
            applySteps(fused, recipe(R"({"step": "partition", "rules": {"supported": [{"target": "*"}]}, "fuse": true},
            {"step": "rename", "node": "fused_0", "name": "relu"})"));
        QCOMPARE(effect.created.size(), 1u);
        QCOMPARE(effect.erased.size(), 3u);
        QVERIFY(fused.graph.find("relu") == effect.created[0]);
        QVERIFY(fused.root->child("fused_0")->graphModule);
        GraphModule split = net();
        (void)applySteps(split, recipe(R"({"step": "partition", "stages": 3})"));
        QVERIFY(split.graph.find("submod_2") != kNoNode);
        QVERIFY(split.graph.size() == 6);
        QCOMPARE(split.graph.find("x"), before.find("x"));
    }

    void effect_namesWhatHappened() {
        GraphModule model = net();
        const Graph before = model.graph;
        const EditEffect effect = applySteps(
            model, recipe(R"({"step": "insert_after", "node": "relu", "op": "call_method", "target": "exp", "args": )"
                          R"([{"node": "relu"}], "rewire_users": true},
            {"step": "set_output", "value": {"tuple": [{"node": "neg"}, {"slice": [0, null, {"repr": )"
                          R"("2"}]}]}}, {"step": "erase", "node": "add", "cascade": true})"));
        QCOMPARE(effect.created.size(), 1u);
        QCOMPARE(model.graph.node(effect.created[0]).name(), std::string("exp"));
        QCOMPARE(effect.erased, std::vector<NodeId>{before.find("add")});
        QCOMPARE(effect.changed, (std::vector<NodeId>{before.find("neg"), before.find("output")}));
    }

    void earlierVersion_isUntouchedAndGivesTheSameNames() {
        GraphModule model = net();
        const GraphModule before = model;
        const std::string text = graphText(before.graph);
        const auto insert =
            recipe(R"({"step": "insert_after", "node": "relu", "op": "call_function", "target": "torch.relu", )"
                   R"("args": [{"node": "relu"}], "rewire_users": true})");
        applySteps(model, insert);
        const std::string after = graphText(model.graph);
        QCOMPARE(graphText(before.graph), text);
        GraphModule again = before; // undone, and done again: users order and name counters are those of before
        applySteps(again, insert);
        QCOMPARE(graphText(again.graph), after);
    }

    void history_goesBackAndForth() {
        History history(std::make_shared<const GraphModule>(net()));
        const std::string first = graphText(history.model()->graph);
        history.edit("rename relu", R"([{"step": "rename", "node": "relu", "name": "other"}])"_steps);
        const std::string second = graphText(history.model()->graph);
        history.edit("erase",
                     R"([{"step": "set_output", "value": {"node": "neg"}}, {"step": "erase", "node": "add"}])"_steps);
        QVERIFY_THROWS_EXCEPTION(Error, history.edit("bad", R"([{"step": "erase", "node": "neg"}])"_steps));
        QCOMPARE(history.entries().size(), 3u);
        history.goTo(0);
        QCOMPARE(graphText(history.model()->graph), first);
        history.goTo(1);
        QCOMPARE(graphText(history.model()->graph), second);
        QVERIFY(history.canUndo());
        QVERIFY(history.canRedo());
        history.edit("rename neg", R"([{"step": "rename", "node": "neg", "name": "third"}])"_steps);
        QVERIFY(!history.canRedo());
        QCOMPARE(history.entries().size(), 3u);
    }

    /// A thousand modules of a wide tree in one recipe: the width must not count for each of them.
    void manyReplacements_inWideTree_areLinear() {
        constexpr int kWidth = 50'000, kSteps = 1'000;
        GraphModule model;
        NodeId last = model.graph.placeholder("x");
        QByteArray steps;
        for (int i = 0; i < kWidth; ++i) {
            const auto module = std::make_shared<Module>();
            module->className = "ReLU", module->classModule = "torch.nn.modules.activation";
            const std::string path = "act" + std::to_string(i);
            model.root->children.push_back({path, module});
            last = model.graph.createNode(Op::CallModule, path, {last});
            if (i >= kWidth - kSteps)
                steps += (steps.isEmpty() ? "" : ", ") + QByteArray("{\"step\": \"replace_module\", \"path\": \"") +
                         path.c_str() + "\", \"module\": {\"type\": \"torch.nn.GELU\"}}";
        }
        model.graph.output(last);
        const auto all = recipe(steps);
        GraphModule edited = model;
        QElapsedTimer timer;
        timer.start();
        applySteps(edited, all);
        // Twenty times as much as it takes; a look at all modules in each step takes twenty times this.
        QVERIFY2(timer.elapsed() < kPatience * 1'500, qPrintable(QString::number(timer.elapsed())));
        QCOMPARE(edited.root->children[kWidth - kSteps].module->className, std::string("GELU"));
        QCOMPARE(edited.root->children[kWidth - kSteps - 1].module, model.root->children[kWidth - kSteps - 1].module);
    }

    void oneEdit_inLargeGraph_isQuick() {
        GraphModule model = net();
        const CallablePtr relu = model.graph.node(model.graph.find("relu")).callable();
        model.graph.setInsertPoint({InsertPoint::Side::Before, model.graph.find("add")});
        NodeId last = model.graph.find("relu");
        for (int i = 0; i < 100'000; ++i) last = model.graph.callFunction(relu, {last});
        model.graph.setInsertPoint({});
        const auto steps = recipe(R"({"step": "rename", "node": "relu_50000", "name": "middle"})");
        Warnings warnings;
        QElapsedTimer timer;
        timer.start();
        for (int i = 0; i < 100; ++i) {
            GraphModule edited = model; // what undo goes back to
            applyStep(edited, steps[0], warnings);
            QCOMPARE(edited.graph.node(edited.graph.find("middle")).id(), model.graph.find("relu_50000"));
        }
        QVERIFY2(timer.nsecsElapsed() / 100 < kPatience * 1'000'000,
                 qPrintable(QString::number(timer.nsecsElapsed() / 100)));
    }
};

QTEST_APPLESS_MAIN(TestSteps)
#include "tst_steps.moc"
