// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/shapes/cost.h"
#include "core/shapes/einsum.h"
#include "core/shapes/operation_kinds.h"
#include "core/trace/callables.h"

#include <QTest>

using namespace fx;
using Kind = NodeCost::Kind;

namespace {

ValueInfo floats(std::initializer_list<int> sizes) {
    ValueInfo out;
    out.dtype = "torch.float32";
    for (const int size : sizes) out.sizes.push_back(std::to_string(size));
    return out;
}

/// y = target(inputs...) with shapes given.
NodeCost costOf(const char* target, const std::vector<ValueInfo>& inputs, const ValueInfo& result) {
    GraphModule model;
    NodeShapes shapes;
    std::vector<Argument> arguments;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        arguments.emplace_back(model.graph.placeholder("x" + std::to_string(i)));
        shapes.nodes.emplace_back("x" + std::to_string(i), std::vector{inputs[i]});
    }
    const NodeId id = model.graph.callFunction(resolveCallable(target), std::move(arguments));
    shapes.nodes.emplace_back(model.graph.node(id).name(), std::vector{result});
    return CostModel(model, shapes).of(model.graph.node(id));
}

} // namespace

class TestCost : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void products_countTwoForEachMultiplyAdd() {
        QCOMPARE(costOf("torch.mm", {floats({2, 3}), floats({3, 5})}, floats({2, 5})).matrixFlops, 2. * 2 * 3 * 5);
        QCOMPARE(costOf("torch.matmul", {floats({7, 2, 3}), floats({3, 5})}, floats({7, 2, 5})).matrixFlops,
                 2. * 7 * 2 * 3 * 5);
        QCOMPARE(costOf("torch.addmm", {floats({5}), floats({2, 3}), floats({3, 5})}, floats({2, 5})).matrixFlops,
                 2. * 2 * 3 * 5);
        QCOMPARE(costOf("torch.nn.functional.linear", {floats({4, 3}), floats({5, 3})}, floats({4, 5})).matrixFlops,
                 2. * 4 * 3 * 5);
        // two groups: each filter sees half of the channels
        const NodeCost conv =
            costOf("torch.conv2d", {floats({1, 4, 8, 8}), floats({6, 2, 3, 3})}, floats({1, 6, 6, 6}));
        QCOMPARE(conv.matrixFlops, 2. * 6 * 6 * 6 * 2 * 9);
        QCOMPARE(conv.kind, Kind::Convolution);
        QCOMPARE(conv.bytesRead, 4. * (4 * 64 + 6 * 2 * 9));
        QCOMPARE(conv.bytesWritten, 4. * 6 * 36);
    }

    void views_costNothing() {
        const NodeCost cost = costOf("torch.transpose", {floats({2, 3})}, floats({3, 2}));
        QCOMPARE(cost.kind, Kind::Free);
        QCOMPARE(cost.flops + cost.bytes(), 0.);
    }

    void elementwise_countsTheResult() {
        const NodeCost cost = costOf("operator.add", {floats({2, 3}), floats({3})}, floats({2, 3}));
        QCOMPARE(cost.flops, 6.);
        QCOMPARE(cost.matrixFlops, 0.);
        QCOMPARE(cost.bytes(), 4. * (6 + 3 + 6));
        QVERIFY(costOf("torch.exp", {floats({2, 3})}, floats({2, 3})).flops > cost.flops);
    }

    void lookup_readsTheRowsThatItWrites() {
        ValueInfo indices = floats({1, 16});
        indices.dtype = "torch.int64";
        const ValueInfo table = floats({30522, 128}), rows = floats({1, 16, 128});
        const NodeCost cost = costOf("torch.nn.functional.embedding", {indices, table}, rows);
        QCOMPARE(cost.kind, Kind::Memory);
        QCOMPARE(cost.bytesRead, 8. * 16 + 4. * 16 * 128);
        QCOMPARE(cost.bytesWritten, 4. * 16 * 128);
        QCOMPARE(costOf("torch.ops.aten.embedding.default", {table, indices}, rows).bytes(), cost.bytes());
        QCOMPARE(costOf("torch.add", {rows, rows}, rows).bytesRead, 2 * cost.bytesWritten);
    }

    void einsum_sumsPairByPair() {
        QCOMPARE(einsumFlops("ij,jk->ik", {{2, 3}, {3, 5}}), 2. * 2 * 3 * 5);
        QCOMPARE(einsumFlops("bhid, bhjd -> bhij", {{1, 2, 3, 4}, {1, 2, 5, 4}}), 2. * 2 * 3 * 5 * 4);
        QCOMPARE(einsumFlops("...ij,jk->...ik", {{7, 2, 3}, {3, 5}}), 2. * 7 * 2 * 3 * 5);
        QCOMPARE(einsumFlops("i,j->ij", {{2}, {3}}), 0.);
        QCOMPARE(einsumFlops("ij,jk,kl->il", {{2, 3}, {3, 5}, {5, 7}}), 2. * (2 * 3 * 5 + 2 * 5 * 7));
        QCOMPARE(einsumFlops("ij", {{2, 3}, {3, 5}}), 0.);
    }

    void kinds_ofOperatorsAndModules() {
        QCOMPARE(operationKind("layer_norm").kind, Kind::Normalization);
        QCOMPARE(operationKind("exp").perElement, 8.);
        QCOMPARE(operationKind("mine.helper").kind, Kind::Elementwise);
        const auto kind = [](const char* type) { return moduleKind(std::string("torch.nn.modules.") + type); };
        QCOMPARE(kind("batchnorm.BatchNorm2d").kind, Kind::Normalization);
        QCOMPARE(kind("batchnorm.SyncBatchNorm").kind, Kind::Normalization);
        QCOMPARE(kind("pooling.MaxPool2d").kind, Kind::Pooling);
        QCOMPARE(kind("dropout.Dropout").kind, Kind::Free);
        QCOMPARE(kind("dropout.AlphaDropout").kind, Kind::Free);
        QCOMPARE(kind("flatten.Flatten").kind, Kind::Free);
        QCOMPARE(kind("fold.Unfold").kind, Kind::Memory);
        QCOMPARE(kind("padding.ReflectionPad2d").kind, Kind::Memory);
        QCOMPARE(kind("sparse.EmbeddingBag").kind, Kind::Memory);
        QCOMPARE(kind("activation.GELU").perElement, 8.);
        QCOMPARE(kind("activation.ReLU").perElement, 1.);
        QCOMPARE(kind("activation.Softmax2d").kind, Kind::Reduction);
        QCOMPARE(kind("upsampling.UpsamplingBilinear2d").perElement, 4.);
        QCOMPARE(moduleKind("mine.RMSNorm").kind, Kind::Normalization);
        QCOMPARE(moduleKind("mine.Block").kind, Kind::Elementwise);
    }

    void unknownShapes_giveNoCost() {
        GraphModule model;
        const NodeId id = model.graph.callFunction(resolveCallable("torch.relu"), {model.graph.placeholder("x")});
        QCOMPARE(CostModel(model, {}).of(model.graph.node(id)).kind, Kind::Unknown);
    }
};

QTEST_GUILESS_MAIN(TestCost)
#include "tst_cost.moc"
