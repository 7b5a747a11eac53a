// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codegen/python_code.h"
#include "core/ir/lint.h"
#include "core/partition/fuse.h"
#include "core/partition/inline.h"
#include "core/partition/partition_model.h"
#include "core/partition/pipeline.h"
#include "core/python/tracing/trace_definition.h"
#include "tests/sanitized.h"

#include <QtTest>

using namespace fx;

/// Partitions that somebody made by hand, and fused modules expanded again.
class TestByHand : public QObject {
    Q_OBJECT

    static GraphModule traced(const std::string& body, const std::string& inputs = "x") {
        return traceFunctionSource("def f(" + inputs + "):\n    " + body + "\n");
    }
    static std::string way(const Graph& graph, const std::vector<NodeId>& ids) {
        std::string text;
        for (const NodeId id : ids) text += (text.empty() ? "" : " ") + graph.node(id).name();
        return text;
    }
    static std::string code(const GraphModule& model) { return generatePython(model.graph).text; }

private Q_SLOTS:
    void circle_isTold() {
        const GraphModule net = traced("a = torch.relu(x)\n    b = torch.tanh(a)\n    return torch.neg(a + b)");
        const Graph& graph = net.graph;
        QVERIFY(!circleOf(graph, partitionsNamed(graph, {{"relu", "tanh"}, {"add", "neg"}})));
        const auto circle = circleOf(graph, partitionsNamed(graph, {{"neg"}, {"relu", "add"}}));
        QVERIFY(circle);
        QCOMPARE(circle->partition, 1u);
        QCOMPARE(way(graph, circle->way), std::string("relu tanh add"));
    }

    void circle_throughAnotherPartition_isTold() {
        const GraphModule net = traced("a = torch.relu(x)\n    b = torch.tanh(a)\n    c = torch.relu(y)\n    d = "
                                       "torch.tanh(c)\n    return b + c, d + a",
                                       "x, y");
        // {relu, tanh_1} needs {relu_1, tanh} and the other way round.
        const auto circle = circleOf(net.graph, partitionsNamed(net.graph, {{"relu", "tanh_1"}, {"relu_1", "tanh"}}));
        QVERIFY(circle);
        QCOMPARE(way(net.graph, circle->way), std::string("relu tanh relu_1 tanh_1"));
    }

    void wayBetween_eitherDirection() {
        const GraphModule net = traced("return torch.neg(torch.sigmoid(torch.relu(x)))");
        const auto partitions = partitionsNamed(net.graph, {{"neg"}, {"relu"}});
        QCOMPARE(way(net.graph, wayBetween(net.graph, partitions, 0, 1)), std::string("relu sigmoid neg"));
        QVERIFY(wayBetween(net.graph, partitionsNamed(net.graph, {{"relu"}, {"sigmoid"}}), 0, 1).empty());
    }

    void names_thatAreWrong_areRefused_data() {
        QTest::addColumn<QString>("first");
        QTest::addColumn<QString>("second");
        QTest::newRow("unknown") << QStringLiteral("nothing") << QStringLiteral("relu");
        QTest::newRow("placeholder") << QStringLiteral("x") << QStringLiteral("relu");
        QTest::newRow("twice") << QStringLiteral("relu") << QStringLiteral("relu");
    }
    void names_thatAreWrong_areRefused() {
        QFETCH(QString, first);
        QFETCH(QString, second);
        const GraphModule net = traced("return torch.neg(torch.relu(x))");
        QVERIFY_THROWS_EXCEPTION(Error, partitionsNamed(net.graph, {{first.toStdString()}, {second.toStdString()}}));
        QVERIFY_THROWS_EXCEPTION(Error, partitionsNamed(net.graph, {{}}));
    }

    void assignment_fused_asIfProposed() {
        GraphModule net = traced("return torch.neg(torch.sigmoid(torch.relu(x) + 1))");
        PartitionRequest request;
        request.assignment = {{"add", "relu"}, {"neg"}};
        request.then = PartitionRequest::Then::Fuse;
        const auto report = partitionModel(net, request);
        QCOMPARE(report.modules, (std::vector<std::string>{"fused_0", "fused_1"}));
        QCOMPARE(report.unassigned.size(), 1u);
        QVERIFY(lint(net.graph).empty());
        request.assignment = {{"fused_0", "fused_1"}}; // sigmoid lies between
        const std::string before = code(net);
        QVERIFY_THROWS_EXCEPTION(Error, partitionModel(net, request));
        QCOMPARE(code(net), before);
    }

    void inline_afterFuse_isAsBefore_data() {
        QTest::addColumn<QString>("body");
        QTest::addColumn<QString>("nodes");
        QTest::newRow("one result") << QStringLiteral("return torch.neg(torch.relu(x) + 1)")
                                    << QStringLiteral("relu add");
        QTest::newRow("several results")
            << QStringLiteral("a = torch.relu(x)\n    b = torch.tanh(a)\n    return torch.neg(a) + torch.neg(b)")
            << QStringLiteral("relu tanh");
        QTest::newRow("getitems inside")
            << QStringLiteral("a, b = torch.split(x, 2)\n    c = torch.relu(a)\n    return torch.neg(b) + torch.neg(c)")
            << QStringLiteral("split getitem getitem_1 relu");
    }
    void inline_afterFuse_isAsBefore() {
        QFETCH(QString, body);
        QFETCH(QString, nodes);
        GraphModule net = traced(body.toStdString());
        const std::string before = code(net);
        PartitionRequest request;
        auto& names = request.assignment.emplace_back();
        for (const QString& name : nodes.split(u' ')) names.push_back(name.toStdString());
        request.then = PartitionRequest::Then::Fuse;
        partitionModel(net, request);
        QVERIFY(code(net) != before);
        const auto made = inlineModule(net, net.graph.find("fused_0"));
        QCOMPARE(made.size(), names.size());
        QVERIFY(lint(net.graph).empty());
        QCOMPARE(code(net), before);
        QCOMPARE(resolvePath(*net.root, "fused_0").kind, PathTarget::Kind::Missing);
    }

    void pipeline_skip_passesThrough() {
        const GraphModule net = traced(
            "a = torch.relu(x)\n    b = torch.tanh(a)\n    c = torch.sigmoid(b)\n    return {'out': c + a, 'in': x}");
        const Pipeline pipeline = makePipeline(net, splitIntoStages(net, 4, StageBalance::Nodes));
        QCOMPARE(pipeline.stages.size(), 4u);
        QCOMPARE(pipeline.inputs, std::vector<std::string>{"x"});
        for (std::size_t i = 0; i < 4; ++i) QVERIFY(lint(pipeline.stages[i].graph).empty());
        const QString second = QString::fromStdString(code(pipeline.stages[1]));
        QVERIFY2(second.contains("def forward(self, x, relu):"), qPrintable(second));
        QVERIFY2(second.contains("return (x, relu, tanh)"), qPrintable(second));
        QVERIFY(QString::fromStdString(code(pipeline.stages[3])).contains("return (add, x)"));
    }

    void pipeline_number_isRefused() {
        const GraphModule net = traced("n = x.size(0)\n    a = torch.relu(x)\n    return a.reshape(n, -1)");
        try {
            (void)makePipeline(net, splitIntoStages(net, 2, StageBalance::Nodes));
            QFAIL("it was not refused");
        } catch (const Error& error) {
            QVERIFY2(QString(error.what()).contains("the number size crosses from stage 0"), error.what());
        }
    }

    void pipeline_writesToWhatIsShared_isRefused_data() {
        QTest::addColumn<QString>("body");
        QTest::addColumn<int>("first"); // calls of the first stage
        QTest::addColumn<bool>("refused");
        const auto row = [](const char* name, int first, const QString& shared, const QString& written,
                            const QString& result, bool refused) {
            QTest::newRow(name) << "a = torch.tanh(x)\n    v = " + shared + "\n    w = " + written + "\n    return " +
                                       result
                                << first << refused;
        };
        row("a view", 2, "a.view(-1)", "v.add_(1)", "a * 2", true);
        row("a view of a view", 3, "a[0].t()", "v.view(-1).mul_(2)", "a * 2", true);
        row("an operator", 2, "torch.ops.aten.permute.default(a, [1, 0])", "torch.ops.aten.add_.Tensor(v, 1)",
            "torch.relu(a)", true);
        row("the viewed one", 2, "a.view(-1)", "a.add_(1)", "v * 2", true);
        row("memory of its own", 2, "torch.relu(a)", "v.add_(1)", "a * 2", false);
        row("not used later", 2, "a.view(-1)", "v.add_(1)", "v * w", false);
        row("made of it in the same stage", 1, "a.view(-1)", "v.add_(1)", "a * w", false);
        row("in the first stage", 3, "a.view(-1)", "v.add_(1)", "a * w", false);
    }
    void pipeline_writesToWhatIsShared_isRefused() {
        QFETCH(QString, body);
        QFETCH(int, first);
        QFETCH(bool, refused);
        const GraphModule net = traced(body.toStdString());
        SplitAssignment assignment = splitIntoStages(net, 2, StageBalance::Nodes);
        int calls = 0;
        for (const Node& node : net.graph.nodes())
            if (node.isCall()) assignment.partOf[index(node.id())] = calls++ < first ? 0 : 1;
        QString told;
        try {
            (void)makePipeline(net, assignment);
        } catch (const Error& error) { told = error.what(); }
        QVERIFY2(refused == told.contains("shares memory"), qPrintable(told));
    }

    void pipeline_manyWritersOfOneValue_areLinear() {
        constexpr int kWriters = 20000;
        GraphModule net;
        const NodeId x = net.graph.placeholder("x");
        const NodeId a = net.graph.createNode(Op::CallMethod, "tanh", {x});
        for (int i = 0; i < kWriters; ++i) net.graph.createNode(Op::CallMethod, "add_", {a, 1});
        net.graph.output(a);
        const SplitAssignment stages = splitIntoStages(net, 2, StageBalance::Nodes);
        QElapsedTimer timer;
        timer.start();
        QCOMPARE(makePipeline(net, stages).stages.size(), 2u);
        PartitionRequest request;
        request.stages = 2;
        request.then = PartitionRequest::Then::Split;
        QVERIFY(partitionModel(net, request).warnings.empty());
        QVERIFY2(timer.elapsed() < kPatience * 3000, qPrintable(QString::number(timer.elapsed())));
    }

    void inline_whatIsNoGraphModule_isRefused() {
        GraphModule net = traced("return torch.relu(x)");
        QVERIFY_THROWS_EXCEPTION(Error, inlineModule(net, net.graph.find("relu")));
    }
};

QTEST_APPLESS_MAIN(TestByHand)
#include "tst_by_hand.moc"
