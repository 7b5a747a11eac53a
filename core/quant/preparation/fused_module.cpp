// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/quant/preparation/fused_module.h"

#include "core/diag/error.h"
#include "core/passes/fusion/folded_weights.h"
#include "core/quant/module_values.h"

#include <algorithm>

namespace fx::quant {
namespace {

constexpr std::string_view kRelu = "torch.nn.modules.activation.ReLU";

FoldableKind foldableKind(const Module& layer) {
    if (layer.className.starts_with("ConvTranspose")) return FoldableKind::Transposed;
    return layer.className.starts_with("Conv") ? FoldableKind::Convolution : FoldableKind::Linear;
}

bool isNorm(const Module& module) { return module.className.starts_with("BatchNorm"); }

} // namespace

std::shared_ptr<Module> FusedModuleMaker::part(const MatchedPart& matched, const std::string& path,
                                               bool rootTrains) const {
    const NodeId id = matched.at(path);
    if (id == kNoNode) return {};
    const Node& node = m_graph.node(id);
    if (node.op() == Op::CallModule) return m_moduleOf(id);
    if (node.target() != "torch.nn.functional.relu") return {};
    auto relu = emptyModule(kRelu); // one for each match
    relu->training = rootTrains;
    relu->attributes.emplace_back("inplace", Argument(false));
    return relu;
}

void FusedModuleMaker::check(const FusedForm& form, const MatchedPart& matched, NodeId root) const {
    const std::shared_ptr<Module> layer = m_moduleOf(root);
    const auto refuse = [&](Message message) {
        throw Error(ErrorKind::Refused, std::move(message))
            .onNode(m_graph.node(root).name())
            .onModule(m_graph.node(root).target());
    };
    if (form.parts.empty()) refuse(Message("quant.fusion_refused", {{"module", layer->className}}));
    std::vector<std::shared_ptr<Module>> parts;
    for (const FusedForm::Part& each : form.parts)
        for (const std::string& path : {each.layer, each.norm})
            if (const auto module = path.empty() || each.isAttribute ? nullptr : part(matched, path, layer->training))
                parts.push_back(module);
    const bool isLinear = foldableKind(*layer) == FoldableKind::Linear;
    for (const auto& norm : parts) {
        if (!isNorm(*norm) || norm == layer) continue;
        for (const auto& each : parts)
            if (each->training != layer->training) refuse(Message("quant.modes_differ"));
        if (!m_isQat) continue;
        if (integerOf(*norm, "num_features") != integerOf(*layer, isLinear ? "out_features" : "out_channels"))
            refuse(Message("quant.norm_features"));
        for (const std::string_view setting : {"affine", "track_running_stats"})
            if (!flagOf(*norm, setting, true)) refuse(Message("quant.norm_setting", {{"setting", setting}}));
    }
}

std::shared_ptr<Module> FusedModuleMaker::folded(const FusedForm::Part& each, const MatchedPart& matched,
                                                 bool rootTrains) const {
    const auto layer = part(matched, each.layer, rootTrains), norm = part(matched, each.norm, rootTrains);
    const Node& node = m_graph.node(matched.at(each.norm));
    const auto refuse = [&](Message message) {
        throw Error(ErrorKind::Refused, std::move(message)).onNode(node.name()).onModule(node.target());
    };
    if (layer->training || norm->training) refuse(Message("quant.not_eval"));
    NormTensors tensors{norm->tensor("running_mean"), norm->tensor("running_var"), norm->tensor("weight"),
                        norm->tensor("bias"), numberOf(*norm, "eps", 1e-5)};
    if (!tensors.mean || !tensors.variance) refuse(Message("quant.norm_setting", {{"setting", "track_running_stats"}}));
    const TensorPtr weight = layer->tensor("weight"), bias = layer->tensor("bias");
    if (!weight || !canFold(*weight, bias, tensors)) refuse(Message("quant.weights_dtype"));
    const std::int64_t groups = integerOf(*layer, "groups").value_or(1);
    if (!fitsNorm(foldableKind(*layer), groups, *weight, bias, tensors)) refuse(Message("quant.norm_features"));
    FoldedWeights weights;
    try {
        weights = foldNorm(foldableKind(*layer), groups, weight, bias, tensors);
    } catch (Error& error) {
        const Node& call = m_graph.node(matched.at(each.layer));
        error.onNode(call.name()).onModule(call.target());
        throw;
    }
    auto result = std::make_shared<Module>(*layer);
    result->origin = {};
    setTensor(*result, "weight", weights.weight), setTensor(*result, "bias", weights.bias);
    return result;
}

std::shared_ptr<Module> FusedModuleMaker::make(const PatternConfig& config, const MatchedPart& matched,
                                               NodeId root) const {
    const FusedForm& form = m_isQat ? config.fusedForQat : config.fused;
    check(form, matched, root);
    const bool trains = m_moduleOf(root)->training;
    const auto made = [&](const FusedForm::Part& each) {
        return each.norm.empty() ? part(matched, each.layer, trains) : folded(each, matched, trains);
    };
    if (form.type.empty()) return made(form.parts.front());
    auto fused = emptyModule(form.type);
    for (const FusedForm::Part& each : form.parts) {
        if (!each.isAttribute) {
            fused->children.push_back({each.name, made(each)});
            continue;
        }
        const Node& node = m_graph.node(matched.at(each.layer));
        fused->attributes.emplace_back(each.name,
                                       node.callable() ? Argument(CallableValue{node.callable()}) : Argument());
    }
    return fused;
}

} // namespace fx::quant
