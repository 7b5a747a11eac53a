// SPDX-License-Identifier: GPL-3.0-or-later
// The steps of a lowering for what runs on quantised values as it is, and for prepacked weights.
#include "core/quant/conversion/lowering_passes.h"

#include "core/diag/error.h"
#include "core/module/copy_modules.h"
#include "core/quant/module_values.h"
#include "core/trace/callables.h"

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
        const Argument* scheme = attributeOf(*moduleOf(operation), "weight_qscheme");
        const auto* constant = scheme ? scheme->as<TorchConstant>() : nullptr;
        if (constant && constant->name.starts_with("torch.per_channel")) refusePerChannel(operation, type);
    }
    if (isModule && isQuantize)
        if (const LoweredClass* to = specialClass(type))
            m_replaced.insert_or_assign(node(operation).target(),
                                        m_modules.makeSpecial(to->type, *moduleOf(operation), outputOf(id)));
    for (const NodeId each : dequantized) replaceInput(graph(), operation, each, node(each).args()[0].node());
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

/// torch.ao `collect_producer_nodes`: what computes a value, if no input of the model does.
std::vector<NodeId> Lowering::producers(NodeId id) {
    std::vector<NodeId> nodes{id}, open{id};
    while (!open.empty()) {
        const Node& here = node(open.back());
        open.pop_back();
        const auto visit = [&](const Argument& arg) {
            if (!arg.isNode()) return true;
            if (node(arg.node()).op() == Op::Placeholder) return false;
            nodes.push_back(arg.node());
            if (!isCallOf(node(arg.node()), "getattr")) open.push_back(arg.node());
            return true;
        };
        for (const Argument& arg : here.args())
            if (!visit(arg)) return {};
        for (const auto& each : here.kwargs())
            if (!visit(each.second)) return {};
    }
    return nodes;
}

/// What a prepacking call gives, as a module that holds the weight, the bias and the numbers.
std::shared_ptr<Module> Lowering::packed(NodeId prepack) {
    const Node& call = node(prepack);
    const std::string operation = call.target().substr(call.target().rfind('.') + 1);
    const bool isLinear = operation.starts_with("linear"), isTransposed = operation.find("transpose") != operation.npos;
    const std::vector<std::string_view> names =
        isLinear       ? std::vector<std::string_view>{"W", "B"}
        : isTransposed ? std::vector<std::string_view>{"weight",         "bias",     "stride", "padding",
                                                       "output_padding", "dilation", "groups"}
                       : std::vector<std::string_view>{"weight", "bias", "stride", "padding", "dilation", "groups"};
    const std::size_t digit = operation.find_first_of("123");
    const std::string dimensions = digit == operation.npos ? "" : std::string(1, operation[digit]);
    auto made =
        emptyModule("__torch__.torch.classes.quantized." +
                    (isLinear ? std::string("LinearPackedParamsBase") : "Conv" + dimensions + "dPackedParamsBase"));
    const auto argument = [&](std::size_t i) -> const Argument* {
        if (i < call.args().size()) return &call.args()[i];
        for (const auto& each : call.kwargs())
            if (each.first == names[i]) return &each.second;
        return nullptr;
    };
    for (std::size_t i = 2; i < names.size(); ++i)
        if (!argument(i))
            refuse(prepack, std::string(operation) + " is missing a value for '" + std::string(names[i]) + "'");
    const Node& quantize = node(argument(0)->node());
    QuantizeJob job;
    job.tensor = quantize.args().empty() ? nullptr : bufferOf(quantize.args()[0]);
    if (quantize.op() == Op::CallFunction) {
        job.qparams = {bufferOf(quantize.args().at(1)), bufferOf(quantize.args().at(2))};
        const bool perChannel = quantize.target() == "torch.quantize_per_channel";
        if (perChannel && isTransposed) refusePerChannel(prepack, operation);
        job.qscheme = perChannel ? "torch.per_channel_affine" : "torch.per_tensor_affine";
        if (perChannel) job.axis = *quantize.args().at(3).as<std::int64_t>();
    }
    const auto* dtype = quantize.args().empty() ? nullptr : quantize.args().back().as<TorchConstant>();
    job.dtype = dtype ? dtype->name : "";
    if (!job.tensor) refuse(prepack, "the weight is computed, not a parameter");
    m_modules.addQuantised(made, "weight", std::move(job));
    const Argument* bias = argument(1);
    if (bias && bias->isNode()) made->attributes.emplace_back("bias", bufferOf(*bias));
    else made->attributes.emplace_back("bias", Argument());
    for (std::size_t i = 2; i < names.size(); ++i) made->attributes.emplace_back(names[i], *argument(i));
    return made;
}

/// torch.ao `fold_weight`.
void Lowering::foldWeights() {
    std::unordered_map<std::uint32_t, NodeId> folded; ///< node that is gone -> the prepacking call that it fed
    std::vector<NodeId> prepacks;
    for (const NodeId id : graph().order()) {
        if (node(id).op() != Op::CallFunction || !node(id).target().starts_with("torch.ops.quantized.") ||
            node(id).target().find("_prepack") == std::string::npos)
            continue;
        const std::vector<NodeId> nodes = producers(id);
        for (const NodeId each : nodes) folded[index(each)] = id;
        if (!nodes.empty()) prepacks.push_back(id);
    }
    if (prepacks.empty()) return;
    auto root = std::make_shared<Module>(*m_model.root);
    NewNames names;
    for (const auto& child : root->children) names.take(child.name);
    for (const auto& slot : root->parameters) names.take(slot.name);
    for (const auto& slot : root->buffers) names.take(slot.name);
    for (const auto& attribute : root->attributes) names.take(attribute.first);
    Graph result;
    std::vector<NodeId> env(graph().idLimit(), kNoNode);
    const auto mapped = [&](const Argument& argument) {
        return mapNodes(argument, [&](NodeId id) {
            if (env[index(id)] == kNoNode) refuse(id, "a packed weight is used elsewhere too");
            return Argument(env[index(id)]);
        });
    };
    for (const Node& each : m_model.graph.nodes()) {
        const auto gone = folded.find(index(each.id()));
        if (gone != folded.end() && gone->second == each.id()) {
            const auto scope = m_state.scopes.find(node(*each.users().begin()).name());
            const std::string prefix = scope == m_state.scopes.end() ? "" : scope->second.path;
            const std::string name = names.make(prefix + "_packed_weight_");
            root->children.push_back({name, packed(each.id())});
            env[index(each.id())] = result.createNode(Op::GetAttr, name);
            continue;
        }
        if (gone != folded.end()) continue;
        std::vector<Argument> args;
        for (const Argument& arg : each.args()) args.push_back(mapped(arg));
        Kwargs kwargs;
        for (const auto& [key, value] : each.kwargs()) kwargs.emplace_back(key, mapped(value));
        env[index(each.id())] = each.callable() ? result.callFunction(each.callable(), std::move(args),
                                                                      std::move(kwargs), each.name(), each.type())
                                                : result.createNode(each.op(), each.target(), std::move(args),
                                                                    std::move(kwargs), each.name(), each.type());
        if (each.meta().wrapped) result.setMeta(env[index(each.id())], std::make_shared<const NodeMeta>(each.meta()));
    }
    m_model.root = std::move(root);
    m_model.graph = std::move(result);
    const GraphModule from = m_model;
    copyModules(from, m_model);
}

} // namespace fx::quant
