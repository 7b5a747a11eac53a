// SPDX-License-Identifier: GPL-3.0-or-later
// The steps of a lowering for functions with weights, and for binary operators.
#include "core/quant/conversion/lowering_passes.h"

#include "core/trace/callables.h"

#include <algorithm>
#include <array>

namespace fx::quant {
namespace {

/// A function with a weight: its quantised forms and what packs the weight.
struct Weighted {
    std::string_view function, quantized, withRelu, prepack;
};
constexpr std::array<Weighted, 7> kWeighted{{
    {"torch._C._nn.linear", "torch.ops.quantized.linear", "torch.ops.quantized.linear_relu",
     "torch.ops.quantized.linear_prepack"},
    {"torch.conv1d", "torch.ops.quantized.conv1d", "torch.ops.quantized.conv1d_relu",
     "torch.ops.quantized.conv1d_prepack"},
    {"torch.conv2d", "torch.ops.quantized.conv2d", "torch.ops.quantized.conv2d_relu",
     "torch.ops.quantized.conv2d_prepack"},
    {"torch.conv3d", "torch.ops.quantized.conv3d", "torch.ops.quantized.conv3d_relu",
     "torch.ops.quantized.conv3d_prepack"},
    {"torch.conv_transpose1d", "torch.ops.quantized.conv_transpose1d", "",
     "torch.ops.quantized.conv_transpose1d_prepack"},
    {"torch.conv_transpose2d", "torch.ops.quantized.conv_transpose2d", "",
     "torch.ops.quantized.conv_transpose2d_prepack"},
    {"torch.conv_transpose3d", "torch.ops.quantized.conv_transpose3d", "",
     "torch.ops.quantized.conv_transpose3d_prepack"},
}};
constexpr std::string_view kLinearFunction = "torch._C._nn.linear";

const Weighted* weighted(const Node& node) {
    if (node.op() != Op::CallFunction) return nullptr;
    const auto found = std::find_if(kWeighted.begin(), kWeighted.end(),
                                    [&](const Weighted& each) { return each.function == node.target(); });
    return found == kWeighted.end() ? nullptr : &*found;
}

struct Binary {
    std::string_view function, quantized, withRelu;
};
constexpr std::array<Binary, 5> kBinary{{
    {"_operator.add", "torch.ops.quantized.add", "torch.ops.quantized.add_relu"},
    {"torch.add", "torch.ops.quantized.add", "torch.ops.quantized.add_relu"},
    {"_operator.mul", "torch.ops.quantized.mul", "torch.ops.quantized.mul_relu"},
    {"torch.mul", "torch.ops.quantized.mul", "torch.ops.quantized.mul_relu"},
    {"torch.matmul", "torch.ops.quantized.matmul", ""},
}};

const Binary* binary(const Node& node) {
    if (node.op() != Op::CallFunction) return nullptr;
    const auto found = std::find_if(kBinary.begin(), kBinary.end(),
                                    [&](const Binary& each) { return each.function == node.target(); });
    return found == kBinary.end() ? nullptr : &*found;
}

/// Whether torch.ao's DYNAMIC_LOWER_FUNCTIONAL_MAP has the function.
bool hasDynamicForm(const Node& node) {
    const Weighted* kind = weighted(node);
    return kind && !kind->withRelu.empty();
}

/// The arguments of the prepacking operator: numbers of one-dimensional convolutions are lists there, and transposed
/// convolutions have dilation before groups.
std::vector<Argument> prepackArguments(const Weighted& kind, NodeId weight, const std::vector<Argument>& args) {
    std::vector<Argument> result{weight};
    result.insert(result.end(), args.begin() + 2, args.end());
    const bool isTransposed = kind.function.find("transpose") != kind.function.npos;
    if (kind.function.ends_with("1d"))
        for (const std::size_t i : {2, 3, 4, 6})
            if ((i < 6 || isTransposed) && i < result.size() && result[i].as<std::int64_t>())
                result[i] = Argument::tuple({result[i]});
    if (isTransposed && result.size() > 6) std::swap(result[5], result[6]);
    return result;
}

Kwargs linearKwargs(Kwargs kwargs) { // F.linear's bias is B there, and comes last
    const auto bias = std::find_if(kwargs.begin(), kwargs.end(), [](const auto& each) { return each.first == "bias"; });
    if (bias == kwargs.end()) return kwargs;
    const Argument value = bias->second;
    kwargs.erase(bias);
    kwargs.emplace_back("B", value);
    return kwargs;
}

} // namespace

void Lowering::lowerFunctions() {
    step([this](NodeId id) { lowerFunctionAt(id); });
}

void Lowering::lowerFunctionAt(NodeId id) {
    const Static found = staticPattern(
        id, [](const Node& each) { return weighted(each) != nullptr; }, 2);
    if (!found) return;
    const std::vector<Argument> args = node(found.node).args();
    const Weighted& kind = *weighted(node(found.node));
    const NodeId input = dequantizeOf(graph(), args[0]), weightDequantize = dequantizeOf(graph(), args[1]);
    if (input == kNoNode || weightDequantize == kNoNode) refuse(found.node, "an input is not quantised");
    const NodeId weight = node(weightDequantize).args()[0].node();
    if (!isCallOf(node(weight), "torch.quantize_per_tensor") && !isCallOf(node(weight), "torch.quantize_per_channel"))
        return;
    const std::vector<Argument> quantize = node(id).args();
    std::string prepack(kind.prepack);
    if (kind.function == kLinearFunction) {
        const auto* dtype = node(weight).args().back().as<TorchConstant>();
        if (!dtype || dtype->name != "torch.qint8")
            refuse(found.node, "no linear operator takes weights of this dtype");
    }
    const Kwargs kwargs =
        kind.function == kLinearFunction ? linearKwargs(node(found.node).kwargs()) : node(found.node).kwargs();
    const NodeId scale = quantize.at(1).node(), zeroPoint = quantize.at(2).node();
    const NodeId packed = callBefore(graph(), scale, prepack, prepackArguments(kind, weight, args), kwargs);
    const bool withRelu = found.relu != kNoNode && !kind.withRelu.empty();
    graph().setCallable(found.node, resolveCallable(withRelu ? kind.withRelu : kind.quantized));
    graph().setArgsKwargs(found.node, {node(input).args()[0], packed, scale, zeroPoint}, {});
    graph().replaceAllUses(id, found.node);
    graph().moveAfter(found.node, zeroPoint);
    graph().erase(id);
    if (withRelu) graph().erase(found.relu);
}

void Lowering::lowerDynamicFunctions() {
    step([this](NodeId id) { lowerDynamicFunctionAt(id); }, true);
}

void Lowering::lowerDynamicFunctionAt(NodeId id) {
    const NodeId relu = isRelu(id, false) ? id : kNoNode;
    NodeId function = id;
    if (relu != kNoNode) {
        if (node(relu).args().empty() || !node(relu).args()[0].isNode()) return;
        function = node(relu).args()[0].node();
    }
    if (isSkipped(function) || !hasDynamicForm(node(function))) return;
    if (node(function).args().size() < 2) refuseKeyword(function);
    // Convolutions have no dynamic form with relu, and are left alone.
    if (!isCallOf(node(function), kLinearFunction)) return;
    const std::vector<Argument> args = node(function).args();
    const NodeId input = dequantizeOf(graph(), args[0]), weightDequantize = dequantizeOf(graph(), args[1]);
    if (input == kNoNode || weightDequantize == kNoNode) return;
    const Node& quantize = node(node(input).args()[0].node());
    if (!isCallOf(quantize, "torch.quantize_per_tensor_dynamic") || quantize.args().size() != 3) return;
    const auto* activation = quantize.args()[1].as<TorchConstant>();
    const NodeId weight = node(weightDequantize).args()[0].node();
    const auto* dtype = node(weight).args().empty() ? nullptr : node(weight).args().back().as<TorchConstant>();
    const bool isHalf = activation && activation->name == "torch.float16" && dtype && dtype->name == "torch.float16";
    const bool isByte = activation && activation->name == "torch.quint8" && dtype && dtype->name == "torch.qint8";
    if (!isHalf && !isByte) return;
    Kwargs prepackKwargs, kwargs = node(function).kwargs();
    for (const auto& each : kwargs)
        if (each.first == "bias") prepackKwargs.emplace_back("B", each.second);
    std::erase_if(kwargs, [](const auto& each) { return each.first == "bias"; });
    graph().setKwargs(function, std::move(kwargs));
    std::vector<Argument> prepack{weight};
    prepack.insert(prepack.end(), args.begin() + 2, args.end());
    const Argument value = quantize.args()[0], reduceRange = quantize.args()[2];
    const NodeId packed = callBefore(
        graph(), function, isHalf ? "torch.ops.quantized.linear_prepack_fp16" : "torch.ops.quantized.linear_prepack",
        std::move(prepack), std::move(prepackKwargs));
    const std::string target = std::string("torch.ops.quantized.linear_") +
                               (relu != kNoNode ? "relu_dynamic" : "dynamic") + (isHalf ? "_fp16" : "");
    graph().setCallable(function, resolveCallable(target));
    std::vector<Argument> result{value, packed};
    if (isByte) result.push_back(reduceRange);
    graph().setArgs(function, std::move(result));
    if (relu == kNoNode) return;
    graph().replaceAllUses(relu, function);
    graph().erase(relu);
}

void Lowering::lowerBinaryOperators() {
    step([this](NodeId id) { lowerBinaryAt(id); });
}

void Lowering::lowerBinaryAt(NodeId id) {
    const Static found = staticPattern(
        id, [](const Node& each) { return binary(each) != nullptr; }, 2);
    if (!found) return;
    const std::vector<Argument> quantize = node(id).args(), before = node(found.node).args();
    int dequantized = 0;
    for (const Argument& arg : before) {
        const NodeId dequantize = dequantizeOf(graph(), arg);
        if (dequantize == kNoNode) continue;
        graph().replaceInput(found.node, dequantize, node(dequantize).args()[0].node());
        ++dequantized;
    }
    const Binary& kind = *binary(node(found.node));
    const std::string_view target = found.relu == kNoNode ? kind.quantized : kind.withRelu;
    if (target.empty()) refuse(found.node, "no quantised operator includes the relu");
    std::vector<Argument> args = node(found.node).args();
    if (dequantized == 2) args.insert(args.end(), {quantize.at(1), quantize.at(2)});
    const NodeId made = callAfter(graph(), id, target, std::move(args));
    graph().replaceAllUses(id, made);
    graph().erase(id);
    if (found.relu != kNoNode) graph().erase(found.relu);
    graph().erase(found.node);
}

} // namespace fx::quant
