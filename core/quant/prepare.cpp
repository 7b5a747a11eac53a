// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/quant/prepare.h"

#include "core/diag/error.h"
#include "core/quant/fuse.h"
#include "core/quant/observer_insertion.h"
#include "core/quant/qat_modules.h"

namespace fx::quant {
namespace {

bool isQuantisedCall(const Node& node) {
    if (node.op() == Op::CallMethod) return node.target() == "dequantize" || node.target() == "int_repr";
    if (node.op() != Op::CallFunction) return false;
    const std::string& target = node.target();
    return target.starts_with("torch.quantize_per_") || target.starts_with("torch.ops.quantized.") ||
           target.starts_with("torch.ops.quantized_decomposed.") || target.starts_with("torch.ops.onednn.q");
}

bool isQuantisedModule(const Module& module) {
    return module.classModule.starts_with("torch.ao.nn.quantized") ||
           module.classModule.starts_with("torch.ao.nn.intrinsic.quantized") ||
           module.classModule.starts_with("torch.ao.nn.qat") ||
           module.classModule.starts_with("torch.ao.nn.intrinsic.qat") || isObserver(module);
}

/// A model that has been prepared or converted is not quantised again.
void refuseQuantised(const GraphModule& model) {
    const auto refuse = [] { return Error(ErrorKind::Refused, Message("quant.already_quantised")); };
    for (const Node& node : model.graph.nodes())
        if (isQuantisedCall(node)) throw refuse().onNode(node.name());
    forEachModule(*model.root, [&](const std::string& path, const Module& module) {
        if (isQuantisedModule(module)) throw refuse().onModule(path);
        for (const auto* slots : {&module.parameters, &module.buffers})
            for (const auto& slot : *slots)
                if (slot.tensor && slot.tensor->quantizer)
                    throw refuse().onModule(path.empty() ? slot.name : path + "." + slot.name);
    });
}

} // namespace

PreparedModel prepare(const GraphModule& model, const QConfigMapping& mapping, const PrepareOptions& options) {
    refuseQuantised(model);
    const BackendConfig& backend = options.backend ? *options.backend : *BackendConfig::find("native");
    TracedModel traced = traceForQuantisation(model);
    fuseTraced(traced, backend, options.isQat);

    PreparedModel result;
    result.state.backend = &backend, result.state.isQat = options.isQat;
    result.state.mapping = mapping, result.state.scopes = std::move(traced.scopes);
    updateForFusion(NodeHeads(traced.model), result.state.mapping);
    result.state.moduleQConfigs = propagated(*traced.model.root, result.state.mapping);
    if (options.isQat) {
        swapForQat(traced.model, backend, result.state.moduleQConfigs);
        updateForQat(backend, result.state.mapping);
    }
    const GraphModule before = traced.model; // what the heads and matches refer to
    const NodeHeads heads(before);
    result.state.qconfigs = NodeQConfigs(heads, before, result.state.mapping, result.state.scopes).all();
    for (const Node& node : before.graph.nodes())
        if (node.op() == Op::CallModule) {
            const auto rule = result.state.qconfigs.find(node.name());
            if (rule != result.state.qconfigs.end())
                result.state.moduleQConfigs.insert_or_assign(node.target(), rule->second.qconfig);
        }
    const PatternMatches matches = findMatches(heads, backend);
    TargetDTypes targets(heads, backend, matches, result.state.qconfigs);
    ObserverInsertion(traced.model, targets, matches, result).run();
    result.model = std::move(traced.model);
    return result;
}

} // namespace fx::quant
