// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codegen/python_code.h"
#include "core/ir/lint.h"
#include "core/partition/fuse.h"
#include "core/partition/partition_model.h"
#include "core/partition/rule_support.h"
#include "core/python/tracing/trace_definition.h"
#include "tests/sanitized.h"

#include <QtTest>

using namespace fx;

class TestPartitioner : public QObject {
    Q_OBJECT

    using Names = std::vector<std::vector<std::string>>;

    static GraphModule traced(const std::string& body, const std::string& inputs = "x") {
        return traceFunctionSource("def f(" + inputs + "):\n    " + body + "\n");
    }
    static std::vector<std::string> namesOf(const Graph& graph, const std::vector<NodeId>& ids) {
        std::vector<std::string> names;
        for (const NodeId id : ids) names.push_back(graph.node(id).name());
        return names;
    }
    static Names namesOf(const Graph& graph, const std::vector<Partition>& partitions) {
        Names names;
        for (const Partition& partition : partitions) names.push_back(namesOf(graph, partition.nodes));
        return names;
    }
    static PartitionReport partitioned(GraphModule& net, const std::string& unsupported,
                                       PartitionRequest::Then then = PartitionRequest::Then::Report,
                                       PartitionerOptions options = {}) {
        PartitionRequest request;
        request.rules = SupportRules::parseText(R"({"unsupported": [{"target": ")" + unsupported + R"("}]})");
        request.options = std::move(options);
        request.then = then;
        return partitionModel(net, request);
    }
    static Partition handMade(const Graph& graph, const std::vector<const char*>& names) {
        Partition partition;
        for (const char* name : names) partition.nodes.push_back(graph.find(name));
        return partition;
    }
    /// 1 % sigmoid, or one after each other node, among relu and additions that reach back.
    static GraphModule longNet(int length, int every = 100) {
        const GraphModule calls = traced("return torch.relu(torch.sigmoid(x + x))");
        const auto callable = [&](const char* name) { return calls.graph.node(calls.graph.find(name)).callable(); };
        GraphModule net;
        std::vector<NodeId> nodes{net.graph.placeholder("x")};
        for (int i = 1; i <= length; ++i) {
            if (i % every == every / 2) nodes.push_back(net.graph.callFunction(callable("sigmoid"), {nodes.back()}));
            else if (i % 7 == 0)
                nodes.push_back(net.graph.callFunction(callable("add"), {nodes.back(), nodes[nodes.size() - 6]}));
            else nodes.push_back(net.graph.callFunction(callable("relu"), {nodes.back()}));
        }
        net.graph.output(nodes.back());
        return net;
    }

private Q_SLOTS:
    void chainAroundAnUnsupported_isTwo() {
        GraphModule net = traced("return ((torch.relu((x + 1) + 1)) + 1) + 1");
        const auto report = partitioned(net, "torch.relu");
        QVERIFY((namesOf(net.graph, report.partitions) == Names{{"add_2", "add_3"}, {"add", "add_1"}}));
        QCOMPARE(report.partitions[0].id, 1u); // torch.fx's numbers
        QCOMPARE(report.partitions[1].id, 3u);
        QCOMPARE(report.unassigned.size(), 1u);
        QCOMPARE(reasonName(report.unassigned[0].reason), "unsupported");
        QCOMPARE(report.notMerged.size(), 1u);
        QCOMPARE(report.notMerged[0].a, 1u);
        QCOMPARE(report.notMerged[0].b, 0u);
        QVERIFY((namesOf(net.graph, report.notMerged[0].cycle) == std::vector<std::string>{"add_1", "relu", "add_2"}));
        QVERIFY((namesOf(net.graph, report.traffic[0].boundary.inputs) == std::vector<std::string>{"relu"}));
        QVERIFY((namesOf(net.graph, report.traffic[0].boundary.outputs) == std::vector<std::string>{"add_3"}));
    }

    void independentBranches_areOneUnlessVertical() {
        const char* body = "return torch.neg(torch.neg(x)) , torch.relu(torch.relu(y))";
        GraphModule net = traced(body, "x, y");
        QVERIFY((namesOf(net.graph, partitioned(net, "torch.tanh").partitions) ==
                 Names{{"neg", "neg_1", "relu", "relu_1"}}));
        QVERIFY((
            namesOf(net.graph,
                    partitioned(net, "torch.tanh", PartitionRequest::Then::Report, {false, {}, {}, true}).partitions) ==
            Names{{"relu", "relu_1"}, {"neg", "neg_1"}}));
    }

    void longWays_areFollowedForTheCycle() {
        // `a` feeds the last addition directly, and through two unsupported nodes.
        GraphModule net = traced("a = (x + 1) + 2\n    b = torch.relu(torch.relu(a)) + 3\n    return (a + b) + 4");
        const auto report = partitioned(net, "torch.relu");
        QCOMPARE(report.partitions.size(), 2u);
        QVERIFY((namesOf(net.graph, report.notMerged.at(0).cycle) ==
                 std::vector<std::string>{"add_1", "relu", "relu_1", "add_2"}));
    }

    void singleNode_besideAPartition_isACycle() {
        GraphModule net = traced("a = x + 1\n    b = torch.relu(a)\n    return (a + b) + 2");
        const auto report = partitioned(net, "torch.relu");
        QVERIFY((namesOf(net.graph, report.partitions) == Names{{"add_1", "add_2"}}));
        QCOMPARE(report.unassigned.size(), 2u);
        QCOMPARE(reasonName(report.unassigned[0].reason), "cycle");
        QVERIFY((namesOf(net.graph, report.unassigned[0].cycle) == std::vector<std::string>{"add", "relu", "add_1"}));
    }

    void singleNode_alone_isSingle() {
        GraphModule net = traced("return torch.relu(x + 1)");
        const auto report = partitioned(net, "torch.relu");
        QVERIFY(report.partitions.empty());
        QCOMPARE(reasonName(report.unassigned[0].reason), "single_node");
        QCOMPARE(
            partitioned(net, "torch.relu", PartitionRequest::Then::Report, {true, {}, {}, false}).partitions.size(),
            1u);
        QCOMPARE(partitioned(net, "torch.relu", PartitionRequest::Then::Report, {false, {}, {"operator.add"}, false})
                     .partitions.size(),
                 1u);
    }

    void getitem_followsItsProducer() {
        GraphModule net =
            traced("a, b = torch.split(x, 2)[0], torch.split(x, 2)[1]\n    return torch.relu(a) + torch.relu(b)");
        const auto report = partitioned(net, "torch.split");
        QVERIFY((namesOf(net.graph, report.partitions) == Names{{"relu", "relu_1", "add"}}));
        const auto& getitem = report.unassigned.at(1);
        QCOMPARE(net.graph.node(getitem.node).name(), "getitem");
        QCOMPARE(net.graph.node(getitem.follows).name(), "split");
        QCOMPARE(reasonName(getitem.reason), "unsupported");
    }

    void getitemOfTwoProducers_isRefused() {
        GraphModule net = traced(
            "i = torch.neg(y)\n    s = torch.split(torch.relu(x), 2)\n    return operator.getitem(s, i)", "x, y");
        QVERIFY_THROWS_EXCEPTION(Error, partitioned(net, "torch.neg"));
    }

    void endsThatComputeNothing_areTrimmed() {
        GraphModule net = traced("return torch.reshape(torch.relu(torch.relu(torch.reshape(x, (1,)))), (2,))");
        PartitionRequest request;
        request.rules = SupportRules::parseText(R"({"supported": [{"target": "*"}]})");
        request.options.nonComputeOps = {"torch.reshape"};
        request.trimEnds = true;
        const auto report = partitionModel(net, request);
        QVERIFY((namesOf(net.graph, report.partitions) == Names{{"relu", "relu_1"}}));
        QCOMPARE(reasonName(report.unassigned.at(0).reason), "non_compute");
    }

    void unorderedGraph_isRefused() {
        GraphModule net = traced("return torch.relu(x + 1)");
        net.graph.moveBefore(net.graph.find("relu"), net.graph.find("add"));
        QVERIFY_THROWS_EXCEPTION(Error, partitioned(net, "torch.tanh"));
    }

    void fused_isTorchFxCode() {
        GraphModule net = traced("a = torch.relu(x + y)\n    return torch.tanh(a * 2), a", "x, y");
        partitioned(net, "torch.tanh", PartitionRequest::Then::Fuse);
        QVERIFY(lint(net.graph).empty());
        QCOMPARE(generatePython(net.graph).text,
                 "\n\n\ndef forward(self, x, y):\n    fused_0 = self.fused_0(x, y);  x = y = None\n    getitem = "
                 "fused_0[0]\n"
                 "    getitem_1 = fused_0[1];  fused_0 = None\n    tanh = torch.tanh(getitem_1);  getitem_1 = None\n   "
                 " return (tanh, getitem)\n    ");
        const Module* fused = net.root->child("fused_0");
        QVERIFY(fused);
        QVERIFY(fused->graphModule);
        QVERIFY(fused->className == "fused_0");
        QCOMPARE(
            generatePython(fused->graphModule->graph).text,
            "\n\n\ndef forward(self, x, y):\n    add = x + y;  x = y = None\n    relu = torch.relu(add);  add = None\n"
            "    mul = relu * 2\n    return (relu, mul)\n    ");
    }

    void fusing_keepsIdsAndFreesNames() {
        GraphModule net = traced("return torch.tanh(torch.relu(x + 1))");
        const NodeId tanh = net.graph.find("tanh");
        partitioned(net, "torch.tanh", PartitionRequest::Then::Fuse);
        QCOMPARE(net.graph.find("tanh"), tanh);
        const NodeId fresh = net.graph.callFunction(net.graph.node(tanh).callable(), {tanh}, {}, "relu");
        QCOMPARE(net.graph.node(fresh).name(), "relu");
    }

    void split_numbersPartitionsAndRuns() {
        GraphModule net = traced("return torch.tanh(torch.relu(torch.neg(torch.tanh(x))))");
        const auto report = partitioned(net, "torch.tanh", PartitionRequest::Then::Split);
        QVERIFY((report.modules == std::vector<std::string>{"submod_0", "submod_1", "submod_2"}));
        QVERIFY(!report.parts[0].partition);
        QVERIFY(report.parts[1].partition == 0u);
        QVERIFY(!report.parts[2].partition);
        QCOMPARE(generatePython(net.graph).text,
                 "\n\n\ndef forward(self, x):\n    submod_0 = self.submod_0(x);  x = None\n    submod_1 = "
                 "self.submod_1(submod_0);  submod_0 = None\n"
                 "    submod_2 = self.submod_2(submod_1);  submod_1 = None\n    return submod_2\n    ");
    }

    void partitionsInACircle_areRefusedWithTheWay() {
        GraphModule net = traced("a = torch.relu(x)\n    b = torch.neg(a)\n    return a + b");
        const Graph before = net.graph;
        try {
            fuseByPartitions(net, {handMade(net.graph, {"relu", "add"})});
            QFAIL("fused");
        } catch (const Error& error) {
            QVERIFY2(std::string(error.what()).find("Invalid partition, found dependency cycles") != std::string::npos,
                     error.what());
            QVERIFY2(error.hint.find("relu -> neg -> add") != std::string::npos, error.hint.c_str());
        }
        QVERIFY(before.order() == net.graph.order());
        QVERIFY(!net.root->child("fused_0"));
        QVERIFY_THROWS_EXCEPTION(
            Error, fuseByPartitions(net, {handMade(net.graph, {"relu"}), handMade(net.graph, {"relu", "neg"})}));
    }

    void moduleOfThatName_isNotReplaced() {
        GraphModule net = traced("return torch.tanh(torch.relu(x + 1))");
        partitioned(net, "torch.tanh", PartitionRequest::Then::Fuse);
        QVERIFY_THROWS_EXCEPTION(Error, fuseByPartitions(net, {handMade(net.graph, {"tanh"})}));
    }

    void graphsOfHigherOrderOperators_moveWithTheirNodes() {
        GraphModule net = traced("return torch.neg(torch.relu(x))");
        const NodeId branch = net.graph.createNode(Op::GetAttr, "true_graph_0", {}, {}, "true_graph_0");
        net.graph.moveBefore(branch, net.graph.find("relu"));
        net.graph.setArgs(net.graph.find("neg"), {Argument(net.graph.find("relu")), Argument(branch)});
        net.subgraphs.emplace_back("true_graph_0", std::make_shared<GraphModule>(traced("return torch.relu(x)")));
        const auto report = partitioned(net, "nothing", PartitionRequest::Then::Split);
        QCOMPARE(report.modules.size(), 1u);
        const auto part = resolvePath(*net.root, report.modules[0] + ".true_graph_0");
        QVERIFY(part.kind == PathTarget::Kind::Module);
        QVERIFY(part.module->graphModule);
    }

    void splitOfAnExport_keepsItsWeights() {
        GraphModule net = traced("return torch.relu(torch.tanh(torch.neg(torch.tanh(x + w))))", "w, x");
        auto layer = std::make_shared<Module>();
        layer->parameters.push_back({"weight", std::make_shared<const TensorRef>()});
        net.root->children.push_back({"layer", layer});
        net.lifted = {{net.graph.find("w"), LiftedInput::Kind::Parameter, "layer.weight"},
                      {net.graph.find("x"), LiftedInput::Kind::UserInput, {}}};
        QCOMPARE(partitioned(net, "torch.neg", PartitionRequest::Then::Split).modules.size(), 3u);
        QCOMPARE(resolvePath(*net.root, "layer.weight").tensor, layer->parameters[0].tensor);
    }

    void splitOfAModelWithASubmod0_givesItsNameToThePart() { // exports call their branches so
        GraphModule net = traced("return torch.neg(torch.relu(x))");
        const NodeId branch = net.graph.createNode(Op::GetAttr, "submod_0");
        net.graph.moveBefore(branch, net.graph.find("relu"));
        net.graph.setArgs(net.graph.find("relu"), {Argument(net.graph.find("x")), Argument(branch)});
        auto own = std::make_shared<Module>();
        net.root->children.push_back({"submod_0", own});
        GraphModule returning = net;
        (void)partitioned(net, "nothing", PartitionRequest::Then::Split);
        QVERIFY(net.root->child("submod_0")->graphModule);
        QCOMPARE(net.root->child("submod_0")->child("submod_0"), own.get());

        returning.graph.setArgs(returning.graph.outputNode(), {Argument(branch)});
        QVERIFY_THROWS_EXCEPTION(Error, partitioned(returning, "nothing", PartitionRequest::Then::Split));
    }

    void splitInACircle_isRefused() {
        const GraphModule net = traced("return torch.relu(torch.neg(torch.relu(x)))");
        SplitAssignment circle;
        circle.partOf.assign(net.graph.idLimit(), 0);
        circle.partOf[index(net.graph.find("neg"))] = 1;
        QVERIFY_THROWS_EXCEPTION(Error, splitModule(net, circle));
    }

    void stages_areBalancedAndCutWhereLeastCrosses() {
        // Of the middle cuts one has a single value across.
        const GraphModule net = traced("a = torch.relu(x)\n    b = torch.neg(x)\n    c = a + b\n    d = "
                                       "torch.relu(c)\n    e = torch.neg(c)\n    return d + e");
        const SplitAssignment two = splitIntoStages(net, 2, StageBalance::Nodes);
        QCOMPARE(two.partOf[index(net.graph.find("add"))], 0);
        QCOMPARE(two.partOf[index(net.graph.find("relu_1"))], 1);
        QVERIFY_THROWS_EXCEPTION(Error, splitIntoStages(net, 7, StageBalance::Nodes));
        QVERIFY_THROWS_EXCEPTION(Error, splitIntoStages(net, 2, StageBalance::Parameters));
        QVERIFY_THROWS_EXCEPTION(Error, splitIntoStages(net, 2, StageBalance::Time));
        const SplitAssignment byTime = splitIntoStages(
            net, 2, StageBalance::Time, {{"relu", 0.5}, {"neg", 9}, {"add", 0.5}, {"relu_1", 0.5}, {"neg_1", 9}});
        QCOMPARE(byTime.partOf[index(net.graph.find("add"))], 0);
        QCOMPARE(splitIntoStages(net, 2, StageBalance::Time, {{"relu", 9}, {"neg", 1}, {"add", 1}})
                     .partOf[index(net.graph.find("neg"))],
                 1);
        const SplitAssignment six = splitIntoStages(net, 6, StageBalance::Nodes);
        QCOMPARE(six.partOf[index(net.graph.find("add_1"))], 5);
    }

    void largeGraphs_areLinear() {
        GraphModule net = longNet(100000);
        const RuleSupport support(SupportRules::parseText(R"({"unsupported": [{"target": "torch.sigmoid"}]})"), net);
        for (const bool vertical : {false, true}) {
            QElapsedTimer timer;
            timer.start();
            CapabilityBasedPartitioner partitioner(net, support, {false, {}, {}, vertical});
            const auto partitions = partitioner.proposePartitions();
            QVERIFY2(timer.elapsed() < kPatience * 5000, qPrintable(QString::number(timer.elapsed())));
            QVERIFY2(partitions.size() == 1001, qPrintable(QString::number(partitions.size())));
            QCOMPARE(partitioner.notMerged(partitions).size(), 1000u);
        }
        QElapsedTimer timer;
        timer.start();
        partitioned(net, "torch.sigmoid", PartitionRequest::Then::Fuse);
        QVERIFY2(timer.elapsed() < kPatience * 15000, qPrintable(QString::number(timer.elapsed())));
        const auto isCall = [](const Node& node) { return node.op() == Op::CallModule; };
        std::size_t calls = 0;
        for (const Node& node : net.graph.nodes()) calls += isCall(node);
        QCOMPARE(calls, 1001u);
    }

    void everyOtherNodeUnsupported_endsInTime() {
        const GraphModule net = longNet(10000, 2);
        const RuleSupport support(SupportRules::parseText(R"({"unsupported": [{"target": "torch.sigmoid"}]})"), net);
        for (const bool vertical : {false, true}) {
            QElapsedTimer timer;
            timer.start();
            CapabilityBasedPartitioner partitioner(net, support, {true, {}, {}, vertical});
            const auto partitions = partitioner.proposePartitions();
            QVERIFY2(partitions.size() >= 4000, qPrintable(QString::number(partitions.size())));
            QVERIFY(!partitioner.notMerged(partitions).empty());
            QVERIFY2(timer.elapsed() < kPatience * 10000, qPrintable(QString::number(timer.elapsed())));
        }
    }
};

QTEST_APPLESS_MAIN(TestPartitioner)
#include "tst_partitioner.moc"
