// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/quant/prepare.h"

#include "core/diag/error.h"
#include "core/quant/preparation/fuse.h"
#include "core/quant/preparation/observer_insertion.h"
#include "core/quant/preparation/qat_modules.h"
#include "core/quant/preserved.h"
#include "core/quant/quantised_part.h"

namespace fx::quant {
namespace {

/// A model that has been prepared or converted is not quantised again.
void refuseQuantised(const GraphModule& model) {
    const auto part = quantisedPart(model);
    if (!part) return;
    const Error refused(ErrorKind::Refused, Message("quant.already_quantised"));
    throw part->node.empty() ? Error(refused).onModule(part->modulePath) : Error(refused).onNode(part->node);
}

} // namespace

PreparedModel prepare(const GraphModule& model, const QConfigMapping& mapping, const PrepareOptions& options) {
    refuseQuantised(model);
    const BackendConfig& backend = options.backend ? *options.backend : *BackendConfig::find("native");
    TracedModel traced = traceForQuantisation(model);
    fuseTraced(traced, backend, options.isQat);

    PreparedModel result;
    result.state.backend = &backend, result.state.isQat = options.isQat;
    result.state.mapping = mapping, result.state.custom = options.custom,
    result.state.scopes = std::move(traced.scopes);
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
    TargetDTypes targets(heads, backend, matches, result.state.qconfigs, options.custom);
    ObserverInsertion(traced.model, targets, matches, result).run();
    result.model = std::move(traced.model);
    preserveAttributes(*model.root, options.custom.preserved, result.model);
    return result;
}

} // namespace fx::quant
