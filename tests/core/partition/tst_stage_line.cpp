// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model_files/open.h"
#include "core/partition/pipeline.h"
#include "core/partition/stage_line.h"
#include "core/python/tracing/trace_definition.h"
#include "core/shapes/annotate.h"
#include "core/shapes/time_estimate.h"

#include <QtTest>

#include <ctime>

using namespace fx;

/// Stages as cuts in the line of calls: what crosses, how they balance, where they may move.
class TestStageLine : public QObject {
    Q_OBJECT

    static GraphModule traced(const std::string& body, const std::string& inputs = "x") {
        return traceFunctionSource("def f(" + inputs + "):\n    " + body + "\n");
    }
    static void noteSizes(GraphModule& model, const std::vector<std::string>& sizes) {
        NodeShapes shapes;
        ValueInfo info;
        info.dtype = "torch.float32", info.sizes = sizes;
        for (const Node& node : model.graph.nodes())
            shapes.nodes.emplace_back(node.name(), std::vector<ValueInfo>{info});
        noteShapes(model.graph, shapes);
    }
    static std::size_t placeholders(const Graph& graph) {
        std::size_t count = 0;
        for (const Node& node : graph.nodes()) count += node.op() == Op::Placeholder;
        return count;
    }

private Q_SLOTS:
    void getitem_staysWithItsProducer() {
        const GraphModule net = traced("parts = torch.split(x, 2)\n    return torch.relu(parts[0]) + parts[1]");
        const StageLine line(net, {});
        QCOMPARE(line.size(), 3u);
        QCOMPARE(line.placeOf(net.graph.find("getitem_1")), 0u);
        QCOMPARE(line.placeOf(net.graph.find("x")), line.size());
        QCOMPARE(line.crossing(1).values, 2u); // both parts, not the tuple
        QCOMPARE(line.crossing(2).values, 2u); // relu and the second part
        const SplitAssignment stages = line.stagesOf({1});
        QCOMPARE(stages.partOf[index(net.graph.find("getitem_1"))], 0);
        QCOMPARE(line.cutsOf(stages), StageLine::Cuts{1});
    }

    void crossing_countsInputsThatAreUsedLater() {
        GraphModule net = traced("return torch.relu(x) + torch.neg(y)", "x, y");
        const StageLine unknown(net, {});
        QCOMPARE(unknown.crossing(1).values, 2u); // relu, and y on its way to neg
        QVERIFY(!unknown.crossing(1).bytesKnown);
        noteSizes(net, {"3", "5"});
        const StageLine line(net, {});
        QCOMPARE(line.crossing(1).bytes, 2 * 60);
        QVERIFY(line.crossing(1).bytesKnown);
        QCOMPARE(line.crossing(2).values, 2u); // relu and neg
    }

    void crossing_tellsNumbersFromTensors() {
        GraphModule net = traced("a = torch.relu(x)\n    b = a.size(0)\n    return torch.neg(a) + b");
        ValueInfo number;
        number.isTensor = false;
        auto meta = std::make_shared<NodeMeta>();
        meta->values = {number};
        net.graph.setMeta(net.graph.find("size"), meta);
        const StageLine line(net, {});
        QCOMPARE(line.crossing(2).values, 2u);
        QCOMPARE(line.crossing(2).numbers, 1u);
    }

    void crossing_isWhatAPipelineSends_data() {
        QTest::addColumn<QString>("file");
        for (const char* file : {"simple_net.pt", "resnet.pt", "transformer.pt2"})
            QTest::newRow(file) << QString::fromLatin1(file);
    }
    void crossing_isWhatAPipelineSends() {
        QFETCH(QString, file);
        const auto model = openModel((QStringLiteral(LANCET_SOURCE_DIR "/resources/samples/") + file).toStdString());
        const StageLine line(*model, {});
        int compared = 0;
        for (std::size_t cut = 1; cut < line.size(); ++cut) {
            try {
                const Pipeline pipeline = makePipeline(*model, line.stagesOf({cut}));
                QCOMPARE(line.crossing(cut).values, placeholders(pipeline.stages[1].graph));
                ++compared;
            } catch (const Error&) {} // a number would be sent
        }
        QVERIFY(compared > 3);
    }

    void balance_namesTheSlowestAndItsRatio() {
        const GraphModule net = traced("return torch.neg(torch.tanh(torch.sigmoid(torch.relu(x))))");
        const StageLine line(net, {{"relu", 1.0}, {"sigmoid", 2.0}, {"tanh", 3.0}, {"neg", 6.0}});
        QVERIFY(line.isTimed());
        const StageBalanceReport report = line.balance({2, 3});
        QCOMPARE(report.weights, (std::vector<double>{3, 3, 6}));
        QCOMPARE(report.largest, 2u);
        QCOMPARE(report.mean, 4.0);
        QCOMPARE(report.ratio, 1.5);
        QCOMPARE(StageLine(net, {}).balance({2}).weights, (std::vector<double>{2, 2})); // calls, when times are unknown
        QCOMPARE(line.balance({}).ratio, 1.0);
    }

    void cuts_moveBetweenTheirNeighbours() {
        const GraphModule net = traced("return torch.neg(torch.tanh(torch.sigmoid(torch.relu(x))))");
        const StageLine line(net, {});
        QCOMPARE(line.range({1, 3}, 0), (std::pair<std::size_t, std::size_t>(1, 2)));
        QCOMPARE(line.range({1, 3}, 1), (std::pair<std::size_t, std::size_t>(2, 3)));
        QVERIFY(line.isValid({}));
        QVERIFY(line.isValid({1, 3}));
        QCOMPARE(line.extent({1, 3}, 1), (std::pair<std::size_t, std::size_t>(1, 3)));
        QCOMPARE(line.extent({1, 3}, 2), (std::pair<std::size_t, std::size_t>(3, 4)));
        for (const StageLine::Cuts& wrong : {StageLine::Cuts{0}, {4}, {2, 2}, {3, 1}}) QVERIFY(!line.isValid(wrong));
        QCOMPARE(StageLine::stageAt({1, 3}, 0), 0u);
        QCOMPARE(StageLine::stageAt({1, 3}, 1), 1u);
        QCOMPARE(StageLine::stageAt({1, 3}, 3), 2u);
    }

    void stages_thatHoldOnlyGetitems_getACall() {
        const GraphModule net = traced("parts = torch.split(x, 2)\n    a = parts[0]\n    return torch.relu(a)");
        const StageLine line(net, {});
        const SplitAssignment stages = splitIntoStages(net, 3, StageBalance::Nodes); // split | getitem | relu
        QCOMPARE(line.cutsOf(stages), StageLine::Cuts{1});
        QCOMPARE(makePipeline(net, line.stagesOf({1})).stages.size(), std::size_t(2));
    }

    void balancedStages_areValidCuts() {
        const auto model = openModel(LANCET_SOURCE_DIR "/resources/samples/resnet.pt");
        const StageLine line(*model, {});
        for (std::size_t count = 1; count <= 12; ++count) {
            const StageLine::Cuts cuts = line.cutsOf(splitIntoStages(*model, count, StageBalance::Parameters));
            QVERIFY(line.isValid(cuts));
            QCOMPARE(cuts.size(), count - 1);
        }
    }

    void estimate_isTheLongerOfComputingAndMoving() {
        GraphModule net = traced("return torch.matmul(torch.relu(x), x)");
        QVERIFY(estimatedTimes(net).empty());
        noteSizes(net, {"s0", "1000"}); // says nothing either
        QVERIFY(estimatedTimes(net).empty());
        noteSizes(net, {"1000", "1000"});
        const auto times = estimatedTimes(net);
        QCOMPARE(times.at("relu"), 8e6 / (kAssumedGbytes * 1e6));
        QCOMPARE(times.at("matmul"), 2e9 / (kAssumedGflops * 1e6));
    }

    void fiftyThousandCalls_areLinear() {
        GraphModule net;
        NodeId last = net.graph.placeholder("x");
        for (int i = 0; i < 50'000; ++i) last = net.graph.createNode(Op::CallMethod, "relu", {Argument(last)});
        net.graph.output(last);
        const std::clock_t start = std::clock();
        const StageLine line(net, {});
        QCOMPARE(line.size(), 50'000u);
        QCOMPARE(line.crossing(25'000).values, 1u);
        const double seconds = double(std::clock() - start) / CLOCKS_PER_SEC;
        QVERIFY2(seconds < 1.0 * LANCET_SLOWNESS, qPrintable(QString::number(seconds)));
    }
};

QTEST_APPLESS_MAIN(TestStageLine)
#include "tst_stage_line.moc"
