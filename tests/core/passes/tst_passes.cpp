// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codegen/python_code.h"
#include "core/edit/recipe.h"
#include "core/edit/steps/steps.h"
#include "core/model_files/open.h"
#include "core/passes/manager/pass_manager.h"
#include "core/python/tracing/trace_definition.h"
#include "core/trace/callables.h"
#include "tests/sanitized.h"

#include <QtTest>

using namespace fx;

/// Compared with torch.fx in tests/oracle/passes.py; here: text in, text out, and what is refused.
class TestPasses : public QObject {
    Q_OBJECT

    /// The statements of a function after a pass, without `= None`.
    static QStringList statements(const GraphModule& model) {
        QStringList lines = QString::fromStdString(generatePython(model.graph).text)
                                .split('\n', Qt::SkipEmptyParts)
                                .filter(QRegularExpression("^    \\S"));
        for (QString& line : lines) line = line.section(";  ", 0, 0).trimmed();
        return lines;
    }
    static std::vector<PassReport> runOn(GraphModule& model, const QByteArray& name,
                                         const QByteArray& settings = "{}") {
        const auto document = JsonDocument::parse(settings.toStdString());
        Warnings warnings;
        return runPasses(model, {{name.toStdString(), document->root()}}, warnings);
    }

private Q_SLOTS:
    void pass_changesTheGraph_data() {
        QTest::addColumn<QByteArray>("pass");
        QTest::addColumn<QByteArray>("settings");
        QTest::addColumn<QString>("before"); // statements of net(x, y)
        QTest::addColumn<QString>("after");
        const auto row = [](const char* name, const char* pass, const char* settings, const QString& before,
                            const QString& after) {
            QTest::newRow(name) << QByteArray(pass) << QByteArray(settings) << before << after;
        };
        row("cse", "cse", "{}", "return torch.relu(x + 1) * torch.relu(x + 1)",
            "add = x + 1|relu = torch.relu(add)|mul = relu * relu|return mul");
        row("cse, literals of other types", "cse", "{}", "return torch.add(x, 1), torch.add(x, True)",
            "add = torch.add(x, 1)|return (add, add)");
        row("cse, list is no tuple", "cse", "{}", "return torch.cat([x, y]), torch.cat((x, y))",
            "cat = torch.cat([x, y])|cat_1 = torch.cat((x, y))|return (cat, cat_1)");
        row("cse, equal hashes", "cse", "{}", "return x.sum(-1), x.sum(-2), x.sum(-2)",
            "sum_1 = x.sum(-1)|sum_2 = x.sum(-2)|sum_3 = x.sum(-2)|return (sum_1, sum_2, sum_3)");
        row("cse, slices", "cse", "{}", "return x[:, 0], x[:, 0], x[0:]",
            "getitem = x[(slice(None, None, None), 0)]|getitem_2 = x[slice(0, None, None)]|return (getitem, getitem, "
            "getitem_2)");
        row("cse, random", "cse", "{}", "return torch.rand_like(x), torch.rand_like(x)",
            "rand_like = torch.rand_like(x)|rand_like_1 = torch.rand_like(x)|return (rand_like, rand_like_1)");
        row("cse, random merged as by torch.fx", "cse", R"({"safe": false})",
            "return torch.rand_like(x), torch.rand_like(x)",
            "rand_like = torch.rand_like(x)|return (rand_like, rand_like)");
        row("cse, written in between", "cse", "{}", "a = x + 1\n    x.mul_(2)\n    return a, x + 1",
            "add = x + 1|mul_ = x.mul_(2)|add_1 = x + 1|return (add, add_1)");
        row("cse, equal values of which one is written to", "cse", "{}",
            "a = torch.zeros_like(x)\n    b = torch.zeros_like(x)\n    c = a.view(-1)\n    c.add_(1)\n    return a, b",
            "zeros_like = torch.zeros_like(x)|zeros_like_1 = torch.zeros_like(x)|view = zeros_like.view(-1)|add_ = "
            "view.add_(1)|return (zeros_like, zeros_like_1)");
        row("cse, out", "cse", "{}", "torch.add(x, 1, out=y)\n    torch.add(x, 1, out=y)\n    return y",
            "add = torch.add(x, 1, out = y)|add_1 = torch.add(x, 1, out = y)|return y");
        row("cse, inplace by place", "cse", "{}", "return F.elu(x, 1.0, True) + F.elu(x, 1.0, True)",
            "elu = torch.nn.functional.elu(x, alpha = 1.0, inplace = True)|elu_1 = torch.nn.functional.elu(x, alpha = "
            "1.0, inplace = True)|add = elu + elu_1|return add");
        row("cse, dropout in training or not", "cse", "{}",
            "return F.dropout(x), F.dropout(x), F.dropout(y, 0.5, False), F.dropout(y, 0.5, False)",
            "dropout = torch.nn.functional.dropout(x, p = 0.5, training = True, inplace = False)|dropout_1 = "
            "torch.nn.functional.dropout(x, p = 0.5, training = True, inplace = False)|dropout_2 = "
            "torch.nn.functional.dropout(y, p = 0.5, training = False, inplace = False)|return (dropout, dropout_1, "
            "dropout_2, dropout_2)");
        row("cse, banned", "cse", R"({"banned": ["torch.relu"]})", "return torch.relu(x), torch.relu(x), x * 2, x * 2",
            "relu = torch.relu(x)|relu_1 = torch.relu(x)|mul = x * 2|return (relu, relu_1, mul, mul)");
        row("normalize_args of an operator of C", "normalize_args", "{}", "return torch.relu(x)",
            "relu = torch.relu(input = x)|return relu");
        row("normalize_args of Python", "normalize_args", "{}", "return F.relu6(x)",
            "relu6 = torch.nn.functional.relu6(input = x, inplace = False)|return relu6");
        row("normalize_args, by place", "normalize_args", R"({"only_kwargs": false})", "return F.leaky_relu(x, 0.2)",
            "leaky_relu = torch.nn.functional.leaky_relu(x, negative_slope = 0.2, inplace = False)|return leaky_relu");
        row("normalize_args, several overloads", "normalize_args", "{}", "return torch.add(x, y)",
            "add = torch.add(x, y)|return add");
        row("normalize_args, overload", "normalize_args", "{}", "return torch.ops.aten.add.Tensor(x, y)",
            "add_tensor = torch.ops.aten.add.Tensor(self = x, other = y, alpha = 1)|return add_tensor");
        row("normalize_args, any number", "normalize_args", "{}", "return torch.einsum('i,i', x, y)",
            "einsum = torch.functional.einsum('i,i', x, y)|return einsum");
        row("normalize_operators", "normalize_operators", "{}", "return torch.div(torch.add(x, y), 2)",
            "add = x + y|div = add / 2|return div");
        row("normalize_operators, alpha", "normalize_operators", "{}", "return torch.add(x, y, alpha=2)",
            "add = torch.add(x, y, alpha = 2)|return add");
        row("dead_code", "dead_code", "{}", "torch.relu(x)\n    torch.manual_seed(0)\n    return x + y",
            "add = x + y|return add");
    }
    void pass_changesTheGraph() {
        QFETCH(QByteArray, pass);
        QFETCH(QByteArray, settings);
        QFETCH(QString, before);
        GraphModule model = traceFunctionSource("def net(x, y):\n    " + before.toStdString());
        const QStringList unchanged = statements(model);
        const auto reports = runOn(model, pass, settings);
        QTEST(statements(model).join('|'), "after");
        QCOMPARE(reports.at(0).changed, statements(model) != unchanged);
    }

    void batchNorms_foldAway() {
        auto model = openModel(LANCET_SOURCE_DIR "/resources/samples/resnet.pt");
        const auto steps = parseRecipe(R"({"lancet_recipe": 1, "steps": [{"step": "set_training", "value": true}]})");
        GraphModule training = *model;
        applySteps(training, steps);
        QVERIFY_THROWS_EXCEPTION(Error, runOn(training, "conv_bn_fuse"));
        const auto eval = parseRecipe(R"({"lancet_recipe": 1, "steps": [{"step": "set_training", "value": false}]})");
        applySteps(*model, eval);
        const GraphModule before = *model;
        QVERIFY(runOn(*model, "conv_bn_fuse")[0].changed);
        for (const Node& node : model->graph.nodes())
            QVERIFY(node.op() != Op::CallModule ||
                    resolvePath(*model->root, node.target()).module->className != "BatchNorm2d");
        int left = 0;
        forEachModule(*model->root,
                      [&](const std::string&, const Module& module) { left += module.className == "BatchNorm2d"; });
        QCOMPARE(left, 0);
        QVERIFY(
            !resolvePath(*before.root, "conv1").module->parameter("bias")->tensor); // the version before is as it was
        QVERIFY(resolvePath(*model->root, "conv1").module->parameter("bias")->tensor);
    }

    /// What a module that is called may use out of sight stays, and a layer that is called twice is not folded into.
    void modulesUsedElsewhere_stay() {
        GraphModule model = traceFunctionSource("def net(x):\n    return torch.relu(x)");
        const auto step = [&](QByteArray text) {
            applySteps(model, parseRecipe("{\"lancet_recipe\": 1, \"steps\": [" +
                                          text.replace('\'', '"').toStdString() + "]}"));
        };
        step("{'step': 'add_module', 'path': 'block.drop', 'module': {'type': 'torch.nn.Dropout'}}, {'step': "
             "'add_module', 'path': 'drop', 'module': {'type': 'torch.nn.Dropout'}}");
        step("{'step': 'add_module', 'path': 'conv', 'module': {'type': 'torch.nn.Conv1d', 'settings': {'in_channels': "
             "2, 'out_channels': 2, 'kernel_size': 1}}}");
        step("{'step': 'add_module', 'path': 'norm', 'module': {'type': 'torch.nn.BatchNorm1d', 'settings': "
             "{'num_features': 2}}}, {'step': 'set_training', 'value': false}");
        Graph& graph = model.graph;
        graph.setInsertPoint({InsertPoint::Side::Before, graph.find("relu")});
        NodeId last = graph.find("x");
        for (const char* path : {"drop", "block.drop", "block", "conv", "norm", "conv"})
            last = graph.createNode(Op::CallModule, path, {last});
        graph.setInsertPoint({});
        graph.setArgs(graph.find("relu"), {last});
        QVERIFY(runOn(model, "remove_dropout")[0].changed);
        QCOMPARE(statements(model).join('|'),
                 QString("block = self.block(x)|conv = self.conv(block)|norm = self.norm(conv)|conv_1 = "
                         "self.conv(norm)|relu = torch.relu(conv_1)|return relu"));
        QVERIFY(resolvePath(*model.root, "block.drop").module);
        QVERIFY(!resolvePath(*model.root, "drop").module);
        QVERIFY(!runOn(model, "conv_bn_fuse")[0].changed);
    }

    void refusals_leaveTheModel_data() {
        QTest::addColumn<QByteArray>("pass");
        QTest::addColumn<QByteArray>("settings");
        QTest::addColumn<QString>("why");
        QTest::newRow("unknown") << QByteArray("cs") << QByteArray("{}") << "unknown pass 'cs'";
        QTest::newRow("unknown setting") << QByteArray("cse") << QByteArray(R"({"banned_ops": []})")
                                         << "unknown setting 'banned_ops'";
        QTest::newRow("setting of another kind") << QByteArray("cse") << QByteArray(R"({"safe": 1})") << "cse";
        QTest::newRow("needs values") << QByteArray("const_fold") << QByteArray("{}") << "it needs lancet-worker";
    }
    void refusals_leaveTheModel() {
        QFETCH(QByteArray, pass);
        QFETCH(QByteArray, settings);
        QFETCH(QString, why);
        GraphModule model =
            traceFunctionSource("def net(x):\n    torch.neg(x)\n    return torch.relu(x) + torch.relu(x)");
        const QStringList before = statements(model);
        Warnings warnings;
        const auto document = JsonDocument::parse(settings.toStdString());
        try {
            runPasses(model, {{"dead_code", {}}, {pass.toStdString(), document->root()}}, warnings);
            QFAIL("it was not refused");
        } catch (const Error& error) {
            QCOMPARE(error.kind(), ErrorKind::Refused);
            QVERIFY2(QString(error.what()).contains(why), error.what());
        }
        QCOMPARE(statements(model), before);
    }

    void cse_augmentedAssignments_areTwo() {
        GraphModule model;
        const NodeId x = model.graph.placeholder("x");
        const CallablePtr iadd = resolveCallable("operator.iadd");
        const NodeId first = model.graph.callFunction(iadd, {x, 1}), second = model.graph.callFunction(iadd, {x, 1});
        model.graph.output(Argument::tuple({first, second}));
        runOn(model, "cse");
        QCOMPARE(model.graph.size(), std::size_t{4});
    }

    void nearNames_areFound() {
        QCOMPARE(passesLike("normalise_args").at(0), std::string_view("normalize_args"));
        QCOMPARE(passesLike("dropout").at(0), std::string_view("remove_dropout"));
        QVERIFY(passesLike("xyzzy").empty());
        for (const Pass& pass : allPasses()) QCOMPARE(findPass(pass.name), &pass);
    }

    void longChain_isLinear() {
        GraphModule model = traceFunctionSource("def net(x):\n    return torch.relu(x) + torch.relu(x)");
        const CallablePtr relu = model.graph.node(model.graph.find("relu")).callable();
        model.graph.setInsertPoint({InsertPoint::Side::Before, model.graph.find("add")});
        NodeId a = model.graph.find("relu"), b = model.graph.find("relu_1");
        for (int i = 0; i < 50'000; ++i)
            a = model.graph.callFunction(relu, {a}), b = model.graph.callFunction(relu, {b});
        model.graph.setArgs(model.graph.find("add"), {a, b});
        model.graph.setInsertPoint({});
        QElapsedTimer timer;
        timer.start();
        runOn(model, "cse");
        QCOMPARE(model.graph.size(), std::size_t{50'004});
        runOn(model, "normalize_args");
        QVERIFY2(timer.elapsed() < kPatience * 10'000, qPrintable(QString::number(timer.elapsed())));
    }
};

QTEST_APPLESS_MAIN(TestPasses)
#include "tst_passes.moc"
