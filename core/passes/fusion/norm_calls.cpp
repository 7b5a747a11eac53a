// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/passes/fusion/norm_calls.h"

#include "core/module/call_semantics.h"

#include <algorithm>
#include <array>

namespace fx {
namespace {

std::optional<double> number(const Argument* value) { return value ? value->number() : std::nullopt; }

/// A class with the number of its dimensions at its place before the last letter: "Conv2d", "BatchNorm1d"; 0 for
/// other classes.
int dimensionsOf(const Module& module, std::string_view package, std::string_view name) {
    const std::string_view type = module.className;
    if (module.classModule != package || type.size() != name.size() + 2 || !type.starts_with(name)) return 0;
    const char digit = type[name.size()];
    return type.ends_with('d') && digit >= '1' && digit <= '3' ? digit - '0' : 0;
}

/// Where a spelling of batch normalisation has its arguments; -1: it has none of that name.
struct NormForm {
    std::string_view target;
    int mean, variance, weight, bias, training, eps;
    bool isTuple;
};
constexpr std::array<NormForm, 5> kNormForms = {
    {{"torch.nn.functional.batch_norm", 1, 2, 3, 4, 5, 7, false},
     {"torch.batch_norm", 3, 4, 1, 2, 5, 7, false},
     {"torch.ops.aten.batch_norm.default", 3, 4, 1, 2, 5, 7, false},
     {"torch.ops.aten.native_batch_norm.default", 3, 4, 1, 2, 5, 7, true},
     {"torch.ops.aten._native_batch_norm_legit_no_training.default", 3, 4, 1, 2, -1, 6, true}}};

} // namespace

std::optional<FoldableNorm> NormCalls::norm(const Node& node) const {
    if (node.op() == Op::CallFunction) return normCall(node);
    const Module* module = m_modules[index(node.id())];
    return module ? normModule(node, *module) : std::nullopt;
}

std::optional<FoldableLayer> NormCalls::layer(const Node& node) const {
    if (node.op() == Op::CallFunction) return layerCall(node);
    const Module* module = m_modules[index(node.id())];
    return module ? layerModule(node, *module) : std::nullopt;
}

std::optional<FoldableNorm> NormCalls::normModule(const Node& node, const Module& module) const {
    FoldableNorm norm;
    norm.dimensions = dimensionsOf(module, "torch.nn.modules.batchnorm", "BatchNorm");
    if (norm.dimensions == 0 || node.args().empty() || !node.args()[0].isNode()) return std::nullopt;
    norm.node = node.id(), norm.input = node.args()[0].node(), norm.module = &module;
    norm.isTraining = module.training;
    norm.tensors = {module.tensor("running_mean"), module.tensor("running_var"), module.tensor("weight"),
                    module.tensor("bias"), 0};
    if (!norm.tensors.mean || !norm.tensors.variance) return std::nullopt; // track_running_stats=False
    const auto eps = number(module.setting("eps"));
    if (!eps) throw Error(ErrorKind::Refused, Message("passes.batch_norm_eps")).onNode(node.name());
    norm.tensors.eps = *eps;
    return norm;
}

std::optional<FoldableNorm> NormCalls::normCall(const Node& node) const {
    const auto form = std::find_if(kNormForms.begin(), kNormForms.end(),
                                   [&](const NormForm& each) { return each.target == node.target(); });
    if (form == kNormForms.end()) return std::nullopt;
    const auto given = [&](int place, std::string_view name) {
        return place < 0 ? nullptr : node.argument(static_cast<std::size_t>(place), name);
    };
    const Argument* input = given(0, "input");
    const Argument* training = given(form->training, "training");
    const auto* trains = training ? training->as<bool>() : nullptr;
    if (!input || !input->isNode() || (training && (!trains || *trains))) return std::nullopt;
    FoldableNorm norm;
    norm.node = node.id(), norm.input = input->node(), norm.isTuple = form->isTuple;
    bool known = true;
    const auto tensor = [&](int place, std::string_view name, TensorPtr& out) {
        const Argument* value = given(place, name);
        if (!value || value->isNone()) return kNoNode;
        if (value->isNode()) out = m_tensors.tensor(value->node());
        if (!out) return known = false, kNoNode;
        norm.tensorNodes.push_back(value->node());
        return value->node();
    };
    tensor(form->mean, "running_mean", norm.tensors.mean), tensor(form->variance, "running_var", norm.tensors.variance);
    tensor(form->weight, "weight", norm.tensors.weight);
    norm.biasNode = tensor(form->bias, "bias", norm.tensors.bias);
    const Argument* eps = given(form->eps, "eps");
    known = known && norm.tensors.mean && norm.tensors.variance && (!eps || number(eps));
    if (!known) return std::nullopt;
    norm.tensors.eps = eps ? *number(eps) : 1e-5;
    return norm;
}

std::optional<FoldableLayer> NormCalls::layerModule(const Node& node, const Module& module) const {
    FoldableLayer layer;
    layer.node = node.id(), layer.module = &module;
    layer.dimensions = dimensionsOf(module, "torch.nn.modules.conv", "Conv");
    layer.isTorchFx = true;
    if (module.classModule == "torch.nn.modules.linear" && module.className == "Linear") {
        layer.kind = FoldableKind::Linear;
    } else if (layer.dimensions == 0) {
        layer.dimensions = dimensionsOf(module, "torch.nn.modules.conv", "ConvTranspose");
        layer.kind = FoldableKind::Transposed, layer.isTorchFx = false;
        if (layer.dimensions == 0) return std::nullopt;
    }
    if (const Argument* groups = module.setting("groups"); groups && groups->as<std::int64_t>())
        layer.groups = *groups->as<std::int64_t>();
    const auto* bias = module.setting("bias");
    if (module.attribute("weight") || (module.attribute("bias") && !(bias && bias->isNone()))) return std::nullopt;
    layer.weight = module.tensor("weight"), layer.bias = module.tensor("bias");
    return layer.weight ? std::optional(layer) : std::nullopt;
}

std::optional<FoldableLayer> NormCalls::layerCall(const Node& node) const {
    const std::string name = canonicalName(node);
    const bool isConv = name.starts_with("conv") && name.size() == 6 && name.ends_with('d'),
               isTransposed = name.starts_with("conv_transpose") && name.ends_with('d'), isAny = name == "convolution",
               isLinear = name == "linear";
    if (!isConv && !isTransposed && !isAny && !isLinear) return std::nullopt;
    FoldableLayer layer;
    layer.node = node.id();
    layer.kind = isLinear ? FoldableKind::Linear : isTransposed ? FoldableKind::Transposed : FoldableKind::Convolution;
    if (isConv || isTransposed) layer.dimensions = name[name.size() - 2] - '0';
    if (isAny) {
        const Argument* transposed = node.argument(6, "transposed");
        if (!transposed || !transposed->as<bool>()) return std::nullopt;
        if (*transposed->as<bool>()) layer.kind = FoldableKind::Transposed;
    }
    const Argument *weight = node.argument(1, "weight"), *bias = node.argument(2, "bias"),
                   *groups = isLinear ? nullptr : node.argument(isAny ? 8 : 6, "groups");
    if (groups && !groups->as<std::int64_t>()) return std::nullopt;
    if (groups) layer.groups = *groups->as<std::int64_t>();
    if (!weight || !weight->isNode() || (bias && !bias->isNone() && !bias->isNode())) return std::nullopt;
    layer.weightNode = weight->node(), layer.weight = m_tensors.tensor(layer.weightNode);
    if (bias && bias->isNode()) layer.biasNode = bias->node(), layer.bias = m_tensors.tensor(layer.biasNode);
    const bool known = layer.weight && (layer.biasNode == kNoNode || layer.bias);
    return known ? std::optional(layer) : std::nullopt;
}

} // namespace fx
