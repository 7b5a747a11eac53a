// SPDX-License-Identifier: GPL-3.0-or-later
// The step of a lowering for what runs on quantised values as it is.
#include "core/make/observer_spec.h"
#include "core/quant/conversion/lowering_passes.h"

#include "core/diag/error.h"
#include "core/quant/module_values.h"

#include <algorithm>
#include <unordered_set>

namespace fx::quant {
namespace {

using Names = std::unordered_set<std::string_view>;

/// Operators whose result has a fixed scale and zero point: torch.ao `is_fixed_qparams_node`.
const Names& fixedNames() {
    static const Names kNames{"F:torch.nn.functional.hardsigmoid",
                              "F:torch.nn.functional.sigmoid",
                              "F:torch.sigmoid",
                              "F:torch.tanh",
                              "S:hardsigmoid",
                              "S:hardsigmoid_",
                              "S:sigmoid",
                              "S:sigmoid_",
                              "S:tanh",
                              "S:tanh_",
                              "M:torch.nn.modules.activation.Hardsigmoid",
                              "M:torch.nn.modules.activation.Sigmoid",
                              "M:torch.nn.modules.activation.Tanh",
                              "M:torch.nn.modules.activation.Softmax"};
    return kNames;
}

/// Those that take the scale and zero point of their result: torch.ao `is_default_node`, without modules, whose classes
/// are those of specialClass but Softmax.
const Names& defaultFunctions() {
    static const Names kNames{"F:torch.nn.functional.elu",           "F:torch.nn.functional.hardswish",
                              "F:torch.nn.functional.instance_norm", "F:torch.nn.functional.layer_norm",
                              "F:torch.nn.functional.leaky_relu",    "F:torch.nn.functional.dropout"};
    return kNames;
}

/// Those that keep the scale of their input: torch.ao `is_copy_node`, `is_general_tensor_shape_node`, `is_other_node`.
const Names& copyingNames() {
    static const Names kNames{"F:torch.adaptive_avg_pool1d",
                              "F:torch.nn.functional.adaptive_avg_pool2d",
                              "F:torch.nn.functional.adaptive_avg_pool3d",
                              "F:torch.nn.functional.hardtanh",
                              "F:torch._C._nn.hardtanh_",
                              "F:torch.nn.functional.interpolate",
                              "F:torch.nn.functional.max_pool1d",
                              "F:torch.nn.functional.max_pool2d",
                              "F:torch.nn.functional.max_pool3d",
                              "F:torch.nn.functional.relu",
                              "F:torch.nn.functional.relu6",
                              "F:torch.avg_pool1d",
                              "F:torch._C._nn.avg_pool2d",
                              "F:torch._C._nn.avg_pool3d",
                              "F:torch.clamp",
                              "F:torch.flatten",
                              "F:torch.mean",
                              "F:_operator.floordiv",
                              "F:torch.channel_shuffle",
                              "S:clamp",
                              "S:mean",
                              "S:relu",
                              "S:relu_",
                              "M:torch.nn.modules.pooling.AdaptiveAvgPool1d",
                              "M:torch.nn.modules.pooling.AdaptiveAvgPool2d",
                              "M:torch.nn.modules.pooling.AdaptiveAvgPool3d",
                              "M:torch.nn.modules.pooling.AvgPool1d",
                              "M:torch.nn.modules.pooling.AvgPool2d",
                              "M:torch.nn.modules.pooling.AvgPool3d",
                              "M:torch.nn.modules.activation.Hardtanh",
                              "M:torch.nn.modules.pooling.MaxPool1d",
                              "M:torch.nn.modules.pooling.MaxPool2d",
                              "M:torch.nn.modules.pooling.MaxPool3d",
                              "M:torch.nn.modules.activation.ReLU",
                              "M:torch.nn.modules.activation.ReLU6",
                              "M:torch.nn.modules.channelshuffle.ChannelShuffle",
                              "F:torch.narrow",
                              "F:torch.transpose",
                              "F:torch.repeat_interleave",
                              "F:torch.squeeze",
                              "F:torch.stack",
                              "F:torch.unsqueeze",
                              "F:torch.pixel_shuffle",
                              "F:torch.pixel_unshuffle",
                              "S:contiguous",
                              "S:detach",
                              "S:detach_",
                              "S:permute",
                              "S:repeat",
                              "S:repeat_interleave",
                              "S:reshape",
                              "S:resize_",
                              "S:shape",
                              "S:size",
                              "S:squeeze",
                              "S:squeeze_",
                              "S:transpose",
                              "S:unsqueeze",
                              "S:unsqueeze_",
                              "S:view",
                              "M:torch.nn.modules.linear.Identity",
                              "M:torch.nn.modules.pixelshuffle.PixelShuffle",
                              "M:torch.nn.modules.pixelshuffle.PixelUnshuffle",
                              "F:torch.cat"};
    return kNames;
}

std::string keyOf(const Node& node, const std::string& type) {
    switch (node.op()) {
    case Op::CallModule: return "M:" + type;
    case Op::CallFunction: return "F:" + node.target();
    case Op::CallMethod: return "S:" + node.target();
    default: return {};
    }
}

bool isDefaultModule(std::string_view type) {
    return specialClass(type) && type != "torch.nn.modules.activation.Softmax";
}

/// Arguments that the quantised operator does not have.
std::vector<std::string_view> droppedKeywords(std::string_view target) {
    if (target.ends_with("instance_norm")) return {"running_mean", "running_var", "use_input_stats", "momentum"};
    if (target.ends_with(".hardswish") || target.ends_with(".elu") || target.ends_with(".dropout")) return {"inplace"};
    return {};
}

} // namespace

void Lowering::lowerInfo() {
    const auto skipDequantize = [this](NodeId id) {
        const NodeId dequantize = node(id).args().empty() ? kNoNode : dequantizeOf(graph(), node(id).args()[0]);
        if (dequantize == kNoNode) return;
        std::vector<Argument> args = node(id).args();
        args[0] = node(dequantize).args()[0];
        graph().setArgs(id, std::move(args));
    };
    step([&](NodeId id) {
        const auto& args = node(id).args();
        const auto* name = args.size() > 1 ? args[1].as<std::string>() : nullptr;
        if (isCallOf(node(id), "getattr") && name && *name == "shape") skipDequantize(id);
    });
    step([&](NodeId id) {
        if (isMethodCall(node(id), "shape") || isMethodCall(node(id), "size")) skipDequantize(id);
    });
}

void Lowering::lowerSpecial() {
    step([this](NodeId id) { lowerSpecialAt(id); });
}

void Lowering::refusePerChannel(NodeId id, std::string_view type) {
    throw Error(ErrorKind::Refused,
                Message("quant.transposed_per_channel", {{"module", type.substr(type.rfind('.') + 1)}}))
        .onNode(node(id).name());
}

/// torch.ao `special_pattern_replacement`.
void Lowering::lowerSpecialAt(NodeId id) {
    const bool isQuantize = isCallOf(node(id), "torch.quantize_per_tensor");
    const bool isHalf = isMethodCall(node(id), "to") && node(id).args().size() == 2 &&
                        node(id).args()[1] == Argument::dtype("torch.float16");
    if ((!isQuantize && !isHalf) || !node(id).args()[0].isNode()) return;
    const NodeId operation = node(id).args()[0].node();
    const std::string type = typeOf(operation), key = keyOf(node(operation), type);
    const bool isModule = node(operation).op() == Op::CallModule;
    const bool isDefault = defaultFunctions().contains(key) || (isModule && isDefaultModule(type));
    if (isHalf && (fixedNames().contains(key) || isDefault)) return;
    if (!isDefault && !fixedNames().contains(key) && !copyingNames().contains(key)) return;
    const Node& before = node(operation);
    if (before.args().empty() && before.kwargs().empty()) refuse(operation, "expected an argument");
    const Argument first = before.args().empty() ? before.kwargs().front().second : before.args()[0];
    std::vector<NodeId> dequantized;
    const auto* list = first.as<Sequence>();
    if (!first.isNode() && !list) refuse(operation, "expected a tensor or a list of them");
    for (const Argument& each : list ? list->items : std::vector<Argument>{first}) {
        const NodeId dequantize = dequantizeOf(graph(), each);
        if (dequantize == kNoNode) return;
        dequantized.push_back(dequantize);
    }
    if (isModule && isQuantize && type.find(".ConvTranspose") != type.npos) {
        const Argument* scheme = moduleOf(operation)->setting("weight_qscheme");
        const auto* constant = scheme ? scheme->as<TorchConstant>() : nullptr;
        if (constant && constant->name.starts_with("torch.per_channel")) refusePerChannel(operation, type);
    }
    if (isModule && isQuantize)
        if (const LoweredClass* to = specialClass(type)) {
            const std::string& path = node(operation).target();
            const auto rule = m_state.moduleQConfigs.find(path);
            const bool isObserved = rule != m_state.moduleQConfigs.end() && rule->second && rule->second->weight;
            m_replaced.insert_or_assign(
                path, m_modules.makeSpecial(to->type, *moduleOf(operation), outputOf(id),
                                            isObserved ? makeObserver(*rule->second->weight) : nullptr));
        }
    for (const NodeId each : dequantized) graph().replaceInput(operation, each, node(each).args()[0].node());
    const std::vector<Argument> qparams(node(id).args().begin() + 1, node(id).args().end());
    graph().replaceAllUses(id, operation);
    graph().erase(id);
    if (defaultFunctions().contains(key)) return replaceByOperator(operation, key.substr(key.rfind('.') + 1), qparams);
    for (const Argument& each : qparams)
        if (each.isNode()) graph().erase(each.node());
}

void Lowering::replaceByOperator(NodeId id, std::string_view name, const std::vector<Argument>& qparams) {
    const std::string target = "torch.ops.quantized." + std::string(name);
    Kwargs kwargs = node(id).kwargs();
    const auto dropped = droppedKeywords(target);
    std::erase_if(kwargs, [&](const auto& each) {
        return std::find(dropped.begin(), dropped.end(), each.first) != dropped.end();
    });
    kwargs.emplace_back("output_scale", qparams.at(0)), kwargs.emplace_back("output_zero_point", qparams.at(1));
    // After the zero point, which it needs; what feeds it stands before that.
    const NodeId made = callAfter(graph(), qparams.at(1).node(), target, node(id).args(), std::move(kwargs));
    graph().replaceAllUses(id, made);
    graph().erase(id);
}

} // namespace fx::quant
