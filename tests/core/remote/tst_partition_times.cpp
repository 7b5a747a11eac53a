// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model_files/open.h"
#include "core/module/exported_signature.h"
#include "core/remote/partition_times.h"

#include <QTest>

using namespace fx;

class TestPartitionTimes : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void splitBy_erasedInput_isNoInputOfTheSplit() {
        const auto model = openModel(LANCET_SOURCE_DIR "/tests/data/pt2/mutating_core.pt2");
        Graph& graph = model->graph;
        const NodeId input = graph.find("x");
        graph.setInsertPoint({InsertPoint::Side::After, input});
        const NodeId other = graph.placeholder("image");
        graph.setInsertPoint({});
        graph.replaceAllUses(input, other);
        graph.erase(input);
        Partition partition;
        for (const Node& node : graph.nodes())
            if (node.op() == Op::CallFunction && partition.nodes.empty()) partition.nodes.push_back(node.id());
        std::vector<SplitPart> parts;
        const auto split = remote::splitBy(*model, {partition}, parts);
        QVERIFY(!parts.empty());
        QCOMPARE(split->lifted.size(), model->lifted.size() - 1);
        for (const LiftedInput& each : split->lifted) QVERIFY(each.node != kNoNode);
        const auto signature = ExportedSignature::of(*split);
        QVERIFY(signature);
        QCOMPARE(signature->inputNames, std::vector<std::string>{"b_steps"});
    }
};

QTEST_APPLESS_MAIN(TestPartitionTimes)
#include "tst_partition_times.moc"
