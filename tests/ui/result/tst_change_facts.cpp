// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/json_steps.h"
#include "tests/ui/support/models.h"
#include "ui/result/change_facts.h"
#include "ui/result/result_text.h"

#include "core/edit/history.h"
#include "core/tensor/tensor_ref.h"

#include <QTest>

using namespace ui;

/// What an edit changed, in numbers and words.
class TestChangeFacts : public QObject {
    Q_OBJECT

    static void note(fx::Graph& graph, fx::NodeId node, std::vector<std::string> sizes, const char* dtype) {
        fx::NodeMeta meta;
        fx::ValueInfo value;
        value.dtype = dtype, value.sizes = std::move(sizes);
        meta.values.push_back(std::move(value));
        graph.setMeta(node, std::make_shared<const fx::NodeMeta>(std::move(meta)));
    }

private Q_SLOTS:
    void nodes_areCountedByWhatHappenedToThem() {
        fx::History history(testing::smallNet());
        history.edit("Abs", R"([{"step": "set_target", "node": "relu", "target": "torch.abs"}])"_steps);
        const ChangeFacts facts = changeFacts(*history.entries()[0].model, *history.model());
        QCOMPARE(facts.changed, std::size_t(1));
        QCOMPARE(facts.created + facts.erased, std::size_t(0));
        QCOMPARE(facts.weightBytes, std::int64_t(0));
        QCOMPARE(nodesText(facts), QStringLiteral("1 node changed"));
    }

    void words_nameEachKindOnce() {
        QCOMPARE(nodesText({2, 1, 0, 0, false}), QStringLiteral("2 nodes created, 1 erased"));
        QCOMPARE(nodesText({0, 3, 9, 0, false}), QStringLiteral("9 nodes changed, 3 erased"));
        QCOMPARE(nodesText({0, 0, 0, 0, false}), QStringLiteral("nothing changed"));
        QCOMPARE(nodesText({0, 0, 0, -4, true}), QStringLiteral("modules changed"));
    }

    void bytes_haveASignAndAUnit() {
        QCOMPARE(bytesText(0), QStringLiteral("+0 B"));
        QCOMPARE(bytesText(-3'200'000), QStringLiteral("−3.2 MB"));
        QCOMPARE(bytesText(401'000), QStringLiteral("+401 kB"));
    }

    void speed_withAWideInterval_isNoClaim() {
        fx::timing::RatioTiming ratio;
        ratio.ratio = 0.5, ratio.ci95 = {0.48, 0.53}, ratio.verdict = fx::timing::Verdict::Faster;
        QCOMPARE(speedRow(ratio, QStringLiteral("9 rounds")).pill.word, QStringLiteral("2.00× (1.89 to 2.08)"));
        ratio.ratio = 1 / 9.5, ratio.ci95 = {1 / 11.17, 1 / 1.26};
        const ResultRow noisy = speedRow(ratio, QStringLiteral("9 rounds"));
        QCOMPARE(noisy.pill.word, QStringLiteral("noisy: 1.26× to 11.17×"));
        QVERIFY(noisy.detail.startsWith(QStringLiteral("faster")));
    }

    void packedWeights_count() {
        const auto before = testing::smallNet();
        auto layer = std::make_shared<fx::Module>();
        layer->classModule = "torch.ao.nn.quantized.modules.linear", layer->className = "LinearPackedParams";
        auto weight = std::make_shared<fx::TensorRef>();
        weight->dtype = fx::DType::QInt8, weight->sizes = {10, 4};
        layer->attributes.emplace_back("weight", fx::TensorPtr(weight));
        fx::GraphModule after = *before;
        auto root = std::make_shared<fx::Module>(*before->root);
        root->children.push_back({"packed", layer});
        after.root = root;
        QCOMPARE(changeFacts(*before, after).weightBytes, std::int64_t(40));
    }

    void activations_areThoseOfComputedValues_orUnknown() {
        auto net = std::make_shared<fx::GraphModule>();
        fx::Graph& graph = net->graph;
        const fx::NodeId x = graph.placeholder("x");
        const fx::NodeId relu = graph.createNode(fx::Op::CallMethod, "relu", {x});
        graph.output(relu);
        note(graph, x, {"1000"}, "torch.float32");
        QVERIFY(!activationBytes(*net)); // relu is not known
        note(graph, relu, {"2", "3"}, "torch.float16");
        QCOMPARE(activationBytes(*net), std::optional<std::int64_t>(12));
        note(graph, relu, {"s0", "3"}, "torch.float16");
        QVERIFY(!activationBytes(*net));
        note(graph, relu, {"9223372036854775807", "9"}, "torch.float64");
        QVERIFY(!activationBytes(*net)); // more than can be counted
    }
};

QTEST_MAIN(TestChangeFacts)
#include "tst_change_facts.moc"
