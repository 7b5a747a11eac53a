// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/quant/measure/layer_pairs.h"

#include "core/trace/callables.h"

#include <QTest>

using namespace fx;
using namespace fx::quant;

class TestLayerPairs final : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void pairs_fusedLayers_meetWhatTheyCompute();
    void pairs_foldedNormOfAnExport_isTheNorm();
    void pairs_loweredFunctions_meetTheirOwn();
    void pairs_otherModel_areLeftOut();
};

namespace {

/// Nodes of a graph by name, each with the names of its inputs.
struct Row {
    Op op;
    const char *name, *target;
    std::vector<const char*> inputs;
};

GraphModule model(const std::vector<Row>& rows) {
    GraphModule out;
    std::map<std::string, NodeId> known;
    for (const Row& row : rows) {
        std::vector<Argument> arguments;
        for (const char* input : row.inputs) arguments.emplace_back(known.at(input));
        known[row.name] = row.op == Op::CallFunction
                              ? out.graph.callFunction(resolveCallable(row.target), std::move(arguments), {}, row.name)
                              : out.graph.createNode(row.op, row.target, std::move(arguments), {}, row.name);
    }
    return out;
}

std::string text(const GraphModule& original, const GraphModule& quantised) {
    std::string out;
    for (const LayerPair& pair : layerPairs(original, quantised))
        out += quantised.graph.node(pair.quantised).name() + "=" + original.graph.node(pair.original).name() + " ";
    return out;
}

const std::vector<Row> kFloat = {{Op::Placeholder, "x", "x", {}},
                                 {Op::CallModule, "conv", "conv", {"x"}},
                                 {Op::CallModule, "bn", "bn", {"conv"}},
                                 {Op::CallModule, "relu", "relu", {"bn"}},
                                 {Op::CallModule, "conv2", "conv2", {"relu"}},
                                 {Op::CallMethod, "add", "add", {"relu", "conv2"}},
                                 {Op::CallMethod, "relu_1", "relu", {"add"}},
                                 {Op::CallModule, "fc", "fc", {"relu_1"}}};

} // namespace

void TestLayerPairs::pairs_fusedLayers_meetWhatTheyCompute() {
    const GraphModule quantised = model({{Op::Placeholder, "x", "x", {}},
                                         {Op::CallMethod, "dequantize", "dequantize", {"x"}},
                                         {Op::CallModule, "conv", "conv", {"dequantize"}},
                                         {Op::CallModule, "conv2", "conv2", {"conv"}},
                                         {Op::CallMethod, "add_relu", "add_relu", {"conv", "conv2"}},
                                         {Op::CallModule, "fc", "fc", {"add_relu"}},
                                         {Op::CallMethod, "dequantize_1", "dequantize", {"fc"}}});
    QCOMPARE(text(model(kFloat), quantised), std::string("conv=relu conv2=conv2 add_relu=relu_1 fc=fc "));
}

/// In exported programs the norm is a call that takes its weights; the quantised program has it in the convolution.
void TestLayerPairs::pairs_foldedNormOfAnExport_isTheNorm() {
    const GraphModule original = model({{Op::Placeholder, "x", "x", {}},
                                        {Op::GetAttr, "w", "w", {}},
                                        {Op::GetAttr, "mean", "mean", {}},
                                        {Op::CallMethod, "conv2d", "conv2d", {"x", "w"}},
                                        {Op::CallMethod, "batch_norm", "batch_norm", {"conv2d", "w", "mean"}},
                                        {Op::CallMethod, "relu_", "relu_", {"batch_norm"}},
                                        {Op::CallMethod, "add", "add", {"relu_", "x"}}});
    const GraphModule quantised = model({{Op::Placeholder, "x", "x", {}},
                                         {Op::GetAttr, "w", "w", {}},
                                         {Op::CallMethod, "conv2d", "conv2d", {"x", "w"}},
                                         {Op::CallMethod, "relu_", "relu_", {"conv2d"}},
                                         {Op::CallMethod, "add", "add", {"relu_", "x"}}});
    QCOMPARE(text(original, quantised), std::string("conv2d=batch_norm relu_=relu_ add=add "));
}

/// Lowered operators have new names, which may be those of other nodes, and follow nodes that are as they were.
void TestLayerPairs::pairs_loweredFunctions_meetTheirOwn() {
    const GraphModule original =
        model({{Op::Placeholder, "x", "x", {}},
               {Op::GetAttr, "w", "w", {}},
               {Op::CallFunction, "conv2d", "torch.conv2d", {"x", "w"}},
               {Op::CallFunction, "relu", "torch.nn.functional.relu", {"conv2d"}},
               {Op::CallMethod, "permute", "permute", {"relu"}},
               {Op::CallFunction, "layer_norm", "torch.nn.functional.layer_norm", {"permute", "w"}},
               {Op::CallFunction, "hardswish", "torch.nn.functional.hardswish", {"layer_norm"}},
               {Op::CallFunction, "hardswish_1", "torch.nn.functional.hardswish", {"hardswish"}},
               {Op::CallFunction, "iadd", "_operator.iadd", {"hardswish_1", "relu"}},
               {Op::CallFunction, "relu_1", "torch.relu", {"iadd"}},
               {Op::CallFunction, "batch_norm", "torch.nn.functional.batch_norm", {"relu_1", "w"}}});
    const GraphModule quantised =
        model({{Op::Placeholder, "x", "x", {}},
               {Op::GetAttr, "packed", "packed", {}},
               {Op::CallFunction, "conv2d", "torch.ops.quantized.conv2d_relu", {"x", "packed"}},
               {Op::CallMethod, "permute", "permute", {"conv2d"}},
               {Op::CallMethod, "dequantize", "dequantize", {"permute"}},
               {Op::CallFunction, "layer_norm_1", "torch.ops.quantized.layer_norm", {"dequantize"}},
               {Op::CallFunction, "hardswish_1", "torch.ops.quantized.hardswish", {"layer_norm_1"}},
               {Op::CallFunction, "hardswish_3", "torch.ops.quantized.hardswish", {"hardswish_1"}},
               {Op::CallFunction, "add_1", "torch.ops.quantized.add_relu", {"hardswish_3", "conv2d"}},
               {Op::CallFunction, "batch_norm_1", "torch.ops.quantized.batch_norm2d", {"add_1"}}});
    QCOMPARE(text(original, quantised),
             std::string("conv2d=relu permute=permute layer_norm_1=layer_norm hardswish_1=hardswish "
                         "hardswish_3=hardswish_1 add_1=relu_1 batch_norm_1=batch_norm "));
}

void TestLayerPairs::pairs_otherModel_areLeftOut() {
    const GraphModule other = model({{Op::Placeholder, "y", "y", {}}, {Op::CallModule, "head", "head", {"y"}}});
    QCOMPARE(text(model(kFloat), other), std::string());
}

QTEST_APPLESS_MAIN(TestLayerPairs)
#include "tst_layer_pairs.moc"
