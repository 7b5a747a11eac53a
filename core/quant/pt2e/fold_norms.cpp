// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/quant/pt2e/fold_norms.h"

#include "core/module/module_editor.h"
#include "core/passes/dead_code.h"
#include "core/passes/fusion/folded_weights.h"

#include <algorithm>
#include <array>
#include <unordered_set>

namespace fx::quant::pt2e {
namespace {

constexpr const char* kBatchNorm = "torch.ops.aten.batch_norm.default";
constexpr const char* kInferenceNorm = "torch.ops.aten._native_batch_norm_legit_no_training.default";
constexpr const char* kLinear = "torch.ops.aten.linear.default";

template<std::size_t N> bool calls(const Node& node, const std::array<const char*, N>& targets) {
    return node.op() == Op::CallFunction && std::find(targets.begin(), targets.end(), node.target()) != targets.end();
}

NodeId nodeAt(const Node& node, std::size_t place, const char* name) {
    const Argument* given = node.argument(place, name);
    return given && given->isNode() ? given->node() : kNoNode;
}

/// The tensor of a get_attr node; null for no node.
TensorPtr tensorOf(const GraphModule& model, NodeId id) {
    if (id == kNoNode) return nullptr;
    const Node& node = model.graph.node(id);
    const PathTarget target = node.op() == Op::GetAttr ? resolvePath(*model.root, node.target()) : PathTarget();
    if (!target.tensor) throw Error(ErrorKind::Refused, Message("pt2e.weight_not_attribute")).onNode(node.name());
    return target.tensor;
}

/// `_assign_attr` of a parameter.
void assign(ModuleEditor& editor, const std::string& path, const TensorPtr& tensor) {
    const auto dot = path.rfind('.');
    Module* holder = editor.writable(dot == std::string::npos ? std::string() : path.substr(0, dot));
    if (!holder) return;
    const std::string name = path.substr(dot == std::string::npos ? 0 : dot + 1);
    for (auto& slot : holder->parameters) {
        if (slot.name != name) continue;
        slot.tensor = tensor;
        return;
    }
    std::erase_if(holder->buffers, [&](const auto& slot) { return slot.name == name; });
    holder->parameters.push_back({name, tensor, true});
}

NormTensors normOf(const GraphModule& model, const Node& norm) {
    NormTensors tensors;
    tensors.weight = tensorOf(model, nodeAt(norm, 1, "weight"));
    tensors.bias = tensorOf(model, nodeAt(norm, 2, "bias"));
    tensors.mean = tensorOf(model, nodeAt(norm, 3, "running_mean"));
    tensors.variance = tensorOf(model, nodeAt(norm, 4, "running_var"));
    const std::size_t place = norm.target() == kInferenceNorm ? 6 : 7;
    if (place < norm.args().size()) {
        if (const auto* eps = norm.args()[place].as<double>()) tensors.eps = *eps;
    }
    return tensors;
}

/// zeros_like(running_mean) as the bias that a repeated fold gives.
TensorPtr zeros(const TensorRef& like, bool requiresGrad) {
    auto tensor = std::make_shared<TensorRef>(like);
    tensor->storage = Storage::inMemory(std::vector<std::byte>(static_cast<std::size_t>(like.byteCount())));
    tensor->offset = 0;
    tensor->strides.assign(like.sizes.size(), 1);
    tensor->isParameter = true;
    tensor->requiresGrad = requiresGrad;
    return tensor;
}

std::int64_t groupsOf(const Node& conv) {
    const std::size_t place = isTransposedConvolution(conv) ? 6 : 6; // both: x, w, b, stride, padding, …, groups
    const auto* groups = place < conv.args().size() ? conv.args()[place].as<std::int64_t>() : nullptr;
    return groups ? *groups : 1;
}

/// The layer's value takes the place of the normalisation's.
void takeOut(Graph& graph, NodeId norm, NodeId layer) {
    if (graph.node(norm).target() == kBatchNorm) {
        graph.replaceAllUses(norm, layer);
    } else {
        const std::vector<NodeId> items(graph.node(norm).users().begin(), graph.node(norm).users().end());
        for (const NodeId item : items) {
            const Node& node = graph.node(item);
            if (node.target() == "_operator.getitem" && node.args().size() == 2 && node.args()[1] == Argument(0))
                graph.replaceAllUses(item, layer);
        }
    }
    if (graph.node(norm).users().empty()) graph.erase(norm);
}

bool isMatrix(const Node& input) {
    const auto& values = input.meta().values;
    return values.empty() || !values[0].isTensor || values[0].sizes.size() <= 2;
}

void foldAll(GraphModule& model, bool linear, Warnings& warnings) {
    std::unordered_set<NodeId> done;
    for (const NodeId id : model.graph.order()) {
        const Node& norm = model.graph.node(id);
        if (norm.erased() || norm.op() != Op::CallFunction ||
            (norm.target() != kBatchNorm && norm.target() != kInferenceNorm))
            continue;
        const NodeId before = nodeAt(norm, 0, "input");
        if (before == kNoNode) continue;
        const Node& layer = model.graph.node(before);
        const bool isLayer =
            linear ? layer.target() == kLinear : isConvolution(layer) || isTransposedConvolution(layer);
        if (!isLayer) continue;
        const NodeId input = nodeAt(layer, 0, "input");
        if (linear && input != kNoNode && !isMatrix(model.graph.node(input))) {
            warnings.push_back({Message("pt2e.norm_over_other_dimension"), norm.name(), {}, {}});
            continue;
        }
        const NodeId weight = nodeAt(layer, 1, "weight"), bias = nodeAt(layer, 2, "bias");
        foldNorm(model, before, weight, bias, id, !done.insert(weight).second);
    }
    eliminateDeadCode(model);
}

} // namespace

bool isConvolution(const Node& node) {
    static constexpr std::array kTargets{"torch.ops.aten.conv1d.default", "torch.ops.aten.conv1d.padding",
                                         "torch.ops.aten.conv2d.default", "torch.ops.aten.conv2d.padding",
                                         "torch.ops.aten.conv3d.default", "torch.ops.aten.conv3d.padding"};
    return calls(node, kTargets);
}
bool isTransposedConvolution(const Node& node) {
    static constexpr std::array kTargets{"torch.ops.aten.conv_transpose1d.default",
                                         "torch.ops.aten.conv_transpose2d.input",
                                         "torch.ops.aten.conv_transpose3d.input"};
    return calls(node, kTargets);
}
bool isBatchNorm(const Node& node) {
    static constexpr std::array kTargets{kBatchNorm, kInferenceNorm, "torch.ops.aten._native_batch_norm_legit.default",
                                         "torch.ops.aten.cudnn_batch_norm.default",
                                         "torch.ops.aten.miopen_batch_norm.default"};
    return calls(node, kTargets);
}
bool hasBatchNorm(const Graph& graph) {
    const auto nodes = graph.nodes();
    for (const Node& node : nodes)
        if (isBatchNorm(node)) return true;
    return false;
}

void foldNorm(GraphModule& model, NodeId conv, NodeId weight, NodeId bias, NodeId norm, bool isRepeated) {
    Graph& graph = model.graph;
    const bool linear = graph.node(conv).target() == kLinear;
    const TensorPtr oldWeight = tensorOf(model, weight), oldBias = tensorOf(model, bias);
    if (!oldWeight)
        throw Error(ErrorKind::Refused, Message("pt2e.weight_not_attribute")).onNode(graph.node(conv).name());
    const NormTensors tensors = normOf(model, graph.node(norm));
    if (!tensors.mean || !tensors.variance || !canFold(*oldWeight, oldBias, tensors))
        throw Error(ErrorKind::Refused, Message("passes.weights_dtype")).onNode(graph.node(norm).name());
    FoldedWeights folded{oldWeight, oldBias};
    const FoldableKind kind = linear                                      ? FoldableKind::Linear
                              : isTransposedConvolution(graph.node(conv)) ? FoldableKind::Transposed
                                                                          : FoldableKind::Convolution;
    const std::int64_t groups = groupsOf(graph.node(conv));
    if (!fitsNorm(kind, groups, *oldWeight, oldBias, tensors))
        throw Error(ErrorKind::Refused, Message("passes.channels", {{"channels", channelsOf(kind, *oldWeight, groups)},
                                                                    {"features", tensors.mean->elementCount()}}))
            .onNode(graph.node(norm).name());
    if (!isRepeated) {
        folded = fx::foldNorm(kind, groups, oldWeight, oldBias, tensors);
    } else if (!oldBias) {
        folded.bias = zeros(*tensors.mean, oldWeight->requiresGrad);
    }
    const std::string weightPath = graph.node(weight).target();
    const std::string biasPath = bias == kNoNode ? weightPath + "_bias" : graph.node(bias).target();
    {
        ModuleEditor editor(model);
        assign(editor, weightPath, folded.weight);
        assign(editor, biasPath, folded.bias);
    }
    std::vector<Argument> args = graph.node(conv).args();
    if (args.size() == 2) args.emplace_back();
    if (bias == kNoNode) {
        graph.setInsertPoint({InsertPoint::Side::Before, conv});
        const NodeId made = graph.createNode(Op::GetAttr, biasPath);
        graph.setInsertPoint({});
        NodeMeta meta;
        ValueInfo value{std::string(dtypeName(folded.bias->dtype)), {}, {"1"}, "cpu", true, folded.bias->requiresGrad};
        for (const std::int64_t size : folded.bias->sizes) value.sizes.push_back(std::to_string(size));
        meta.values.push_back(std::move(value));
        graph.setMeta(made, std::make_shared<const NodeMeta>(std::move(meta)));
        args[2] = made;
    }
    graph.setArgs(conv, std::move(args));
    takeOut(graph, norm, conv);
}

void foldNorms(GraphModule& model, Warnings& warnings) {
    if (hasBatchNorm(model.graph)) foldAll(model, false, warnings);
    if (hasBatchNorm(model.graph)) foldAll(model, true, warnings);
}

} // namespace fx::quant::pt2e
