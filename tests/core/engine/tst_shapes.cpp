// SPDX-License-Identifier: GPL-3.0-or-later
// LibTorch before Qt: both define words that the other uses.
#include "core/engine/calls.h"
#include "core/engine/machine.h"
#include "core/engine/shapes/shapes.h"
#include "core/engine/tensor_store.h"
#include "core/trace/callables.h"

#include <QTest>

using namespace fx;
using engine::nodeShapes;
using engine::shapeOnly;

namespace {

using Sizes = std::vector<std::int64_t>;

struct Builder {
    std::shared_ptr<GraphModule> model = std::make_shared<GraphModule>();
    NodeId input(const char* name) { return model->graph.placeholder(name); }
    NodeId call(const char* name, std::vector<Argument> arguments) {
        return model->graph.callFunction(resolveCallable(name), std::move(arguments));
    }
    NodeShapes shapes(std::vector<Sizes> inputs, engine::ShapesOptions options = {}) const {
        engine::RunInputs given;
        for (const Sizes& sizes : inputs) given.positional.push_back(shapeOnly(sizes, at::kFloat));
        return nodeShapes(model, given, options);
    }
};

std::string told(const NodeShapes& shapes, const char* name) {
    for (const auto& [node, infos] : shapes.nodes)
        if (node == name) return infos.empty() ? "no tensor" : infos[0].dtype + " " + infos[0].shapeText();
    return "unknown";
}

} // namespace

class TestShapes : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void convolution_onMeta_hasTheShapeAndStridesOfTheCpu() {
        Builder b;
        const NodeId x = b.input("x"), w = b.input("w");
        b.model->graph.output(b.call("torch.conv2d", {x, w, Argument(), Argument(2), Argument(1)}));
        const NodeShapes shapes = b.shapes({{2, 3, 9, 9}, {4, 3, 3, 3}});
        QVERIFY(!shapes.ran);
        QCOMPARE(told(shapes, "conv2d"), std::string("torch.float32 2×4×5×5"));
        QCOMPARE(shapes.nodes[2].second[0].strides, (std::vector<std::string>{"100", "25", "5", "1"}));
    }

    void mismatch_namesTheNode_bothShapesAndTheCause_restIsKnown() {
        Builder b;
        const NodeId x = b.input("x"), y = b.input("y");
        const NodeId product = b.call("torch.matmul", {x, y}), relu = b.call("torch.relu", {product});
        const NodeId wrong = b.call("operator.add", {relu, x}), side = b.call("torch.relu", {y});
        b.model->graph.output(Argument::tuple({b.call("torch.relu", {wrong}), side}));
        const NodeShapes shapes = b.shapes({{2, 3}, {3, 5}});
        QCOMPARE(shapes.failures.size(), std::size_t(1));
        const ShapeFailure& failure = shapes.failures[0];
        QCOMPARE(failure.node, std::string("add"));
        QCOMPARE(failure.cause, std::string("matmul"));
        QCOMPARE(failure.operands[0].info.shapeText(), std::string("2×5"));
        QCOMPARE(failure.operands[0].origin, std::string("matmul"));
        QCOMPARE(failure.operands[1].info.shapeText(), std::string("2×3"));
        QVERIFY(!failure.needsValues);
        QCOMPARE(told(shapes, "relu_1"), std::string("torch.float32 3×5"));
        QCOMPARE(told(shapes, "relu_2"), std::string("unknown"));
    }

    void operatorWithoutMetaKernel_runsByItself() {
        Builder b;
        b.model->graph.output(b.call("torch.logcumsumexp", {b.input("x"), Argument(0)}));
        const NodeShapes shapes = b.shapes({{4, 6}});
        QVERIFY(!shapes.ran);
        QVERIFY(shapes.failures.empty());
        QCOMPARE(told(shapes, "logcumsumexp"), std::string("torch.float32 4×6"));
    }

    /// Quantised weights have values, also where the rest has none: they are made on the CPU.
    void quantisedTensors_keepTheirValues_restIsOnMeta() {
        Builder b;
        TensorRef weight;
        weight.dtype = DType::QInt8, weight.sizes = {64, 512}, weight.strides = {512, 1};
        weight.quantizer = Quantizer{};
        weight.quantizer->scale = 0.5;
        weight.storage = Storage::inMemory(std::vector<std::byte>(64 * 512));
        b.model->root->buffers.push_back({"w", std::make_shared<const TensorRef>(weight)});
        const NodeId w = b.model->graph.createNode(Op::GetAttr, "w"), x = b.input("x");
        const NodeId packed = b.call("torch.ops.quantized.linear_prepack", {w, Argument()});
        const NodeId q =
            b.call("torch.quantize_per_tensor", {x, Argument(0.5), Argument(0), Argument::dtype("torch.quint8")});
        const NodeId y = b.call("torch.ops.quantized.linear", {q, packed, Argument(0.5), Argument(0)});
        const NodeId pooled = b.call("torch.nn.functional.adaptive_avg_pool1d", {y, Argument(1)});
        b.model->graph.output(b.model->graph.createNode(Op::CallMethod, "dequantize", {pooled}));
        const NodeShapes shapes = b.shapes({{2, 3, 512}});
        QVERIFY2(shapes.failures.empty(), shapes.failures.empty() ? "" : shapes.failures[0].what.text().c_str());
        QVERIFY(!shapes.ran);
        QCOMPARE(told(shapes, "w"), std::string("torch.qint8 64×512"));
        QCOMPARE(told(shapes, "linear"), std::string("torch.quint8 2×3×64"));
        QCOMPARE(told(shapes, "adaptive_avg_pool1d"), std::string("torch.quint8 2×3×1"));
        QCOMPARE(told(shapes, "dequantize"), std::string("torch.float32 2×3×1"));
    }

    /// `clone()` knows one scale for all elements only.
    void stateOfTensorsWithScalesForChannels_isKept() {
        const auto quantized =
            engine::callFunction("torch.quantize_per_channel",
                                 {engine::randomInput({6, 8}, at::kFloat, 0), engine::randomInput({6}, at::kFloat, 0),
                                  engine::randomInput({6}, at::kFloat, 0), 0, at::kQUInt4x2});
        engine::TensorStore store;
        store.keepState();
        const TensorPtr ref = engine::toTensorRef(quantized.tensor());
        const at::Tensor tensor = store.tensor(ref);
        QVERIFY(!store.isChanged(ref));
        auto* bytes = static_cast<std::uint8_t*>(tensor.mutable_data_ptr());
        const std::uint8_t first = bytes[0];
        bytes[0] = static_cast<std::uint8_t>(first + 1);
        QVERIFY(store.isChanged(ref));
        store.restore();
        QCOMPARE(bytes[0], first);
    }

    void shapeInValues_isToldOrRun() {
        Builder b;
        const NodeId x = b.input("x");
        b.model->graph.output(b.call("torch.nonzero", {x}));
        const NodeShapes without = b.shapes({{2, 3}});
        QCOMPARE(without.failures.size(), std::size_t(1));
        QVERIFY(without.failures[0].needsValues);
        const NodeShapes with =
            b.shapes({{2, 3}}, {true, [] {
                                    return engine::RunInputs{{engine::randomInput({2, 3}, at::kFloat, 0)}, {}};
                                }});
        QVERIFY(with.ran);
        QVERIFY(with.failures.empty());
        QCOMPARE(told(with, "nonzero"), std::string("torch.int64 6×2"));
    }

    /// No values could put a type right, also where the CPU's kernel stands in for a missing one.
    void wrongDtype_isToldAsSuch_notAsAQuestionOfValues() {
        Builder b;
        const NodeId x = b.input("x"), y = b.input("y");
        const NodeId greater = b.call("torch.gt", {x, y});
        b.model->graph.output(Argument::tuple({b.call("torch.where", {x, y, y}), b.call("torch.histc", {greater})}));
        const NodeShapes shapes = b.shapes({{2, 3}, {2, 3}});
        QCOMPARE(shapes.failures.size(), std::size_t(2));
        for (const ShapeFailure& failure : shapes.failures) QVERIFY(!failure.needsValues);
        QVERIFY2(shapes.failures[0].what.is("engine.dtypes"), shapes.failures[0].what.text().c_str());
        QVERIFY2(shapes.failures[1].what.is("engine.no_kernel"), shapes.failures[1].what.text().c_str());
    }

    void smallConstants_keepTheirValues() {
        Builder b; // x[arange(3)[1].item():]
        const NodeId x = b.input("x"), range = b.call("torch.arange", {Argument(3)});
        const NodeId one = b.call("operator.getitem", {range, Argument(1)});
        const NodeId number = b.model->graph.createNode(Op::CallMethod, "item", {one});
        b.model->graph.output(b.call("torch.narrow", {x, Argument(0), number, Argument(2)}));
        const NodeShapes shapes = b.shapes({{5, 3}});
        QVERIFY(shapes.failures.empty());
        QVERIFY(!shapes.ran);
        QCOMPARE(told(shapes, "narrow"), std::string("torch.float32 2×3"));
    }

    void device_isTheCpus() {
        Builder b;
        const NodeId x = b.input("x"), device = b.call("getattr", {x, Argument(std::string("device"))});
        b.model->graph.output(b.model->graph.createNode(Op::CallMethod, "to", {x, device}));
        const NodeShapes shapes = b.shapes({{5, 3}});
        QVERIFY(shapes.failures.empty());
        QCOMPARE(told(shapes, "to"), std::string("torch.float32 5×3"));
    }
};

QTEST_GUILESS_MAIN(TestShapes)
#include "tst_shapes.moc"
