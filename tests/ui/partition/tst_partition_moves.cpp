// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/trace/callables.h"
#include "ui/partition/partition_moves.h"

#include <QTest>

using namespace ui;

namespace {

/// x and six calls of relu in a row; the partitions are {0, 1}, {3} and {5}.
struct Chain {
    fx::Graph graph;
    std::vector<fx::NodeId> nodes;
    PartitionOutcome outcome;

    Chain() {
        fx::NodeId last = graph.placeholder("x");
        outcome.partitionOf.assign(8, -1);
        for (int i = 0; i < 6; ++i)
            nodes.push_back(last = graph.callFunction(fx::resolveCallable("torch.relu"), {last}));
        graph.output(last);
        for (const std::vector<std::size_t>& each : {std::vector<std::size_t>{0, 1}, {3}, {5}}) {
            fx::Partition& partition = outcome.report.partitions.emplace_back();
            for (const std::size_t i : each) {
                outcome.partitionOf[fx::index(nodes[i])] = static_cast<int>(outcome.report.partitions.size()) - 1;
                partition.nodes.push_back(nodes[i]);
            }
        }
    }
};

} // namespace

/// Where nodes can be moved by hand, and the partitions after a move.
class TestPartitionMoves : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void home_isThePartitionOfAllNodes() {
        const Chain chain;
        QCOMPARE(homeOf(chain.outcome, {chain.nodes[0], chain.nodes[1]}), 0);
        QCOMPARE(homeOf(chain.outcome, {chain.nodes[0], chain.nodes[3]}), -1);
        QCOMPARE(homeOf(chain.outcome, {}), -1);
    }

    void nearPartitions_neighboursFirst() {
        const Chain chain;
        QCOMPARE(nearPartitions(chain.graph, chain.outcome, {chain.nodes[4]}, 6), (std::vector<int>{1, 2, 0}));
        QCOMPARE(nearPartitions(chain.graph, chain.outcome, {chain.nodes[3]}, 6), (std::vector<int>{0, 2}));
        QCOMPARE(nearPartitions(chain.graph, chain.outcome, {chain.nodes[4]}, 1), std::vector<int>{1});
    }

    void move_keepsGraphOrder() {
        const Chain chain;
        const auto& before = chain.outcome.report.partitions;
        const auto after = movedTo(1, {chain.nodes[4], chain.nodes[1]}, before, chain.graph);
        QCOMPARE(after[0].nodes, std::vector<fx::NodeId>{chain.nodes[0]});
        QCOMPARE(after[1].nodes, (std::vector<fx::NodeId>{chain.nodes[1], chain.nodes[3], chain.nodes[4]}));
    }

    void move_toNewPartition_andOutOfAll() {
        const Chain chain;
        const auto& before = chain.outcome.report.partitions;
        QCOMPARE(movedTo(3, {chain.nodes[2]}, before, chain.graph).back().nodes,
                 std::vector<fx::NodeId>{chain.nodes[2]});
        QVERIFY(movedTo(-1, {chain.nodes[3]}, before, chain.graph)[1].nodes.empty());
        QVERIFY(movedTo(0, {chain.graph.first()}, before, chain.graph)[0].nodes == before[0].nodes); // a placeholder
    }
};

QTEST_MAIN(TestPartitionMoves)
#include "tst_partition_moves.moc"
