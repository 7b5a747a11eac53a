// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/quant/measure/fitting_qconfigs.h"

#include "core/diag/error.h"
#include "core/quant/measure/one_layer.h"

namespace fx::quant {
namespace {

bool isWeightOnly(const ObserverTraits& activation, const ObserverTraits& weight) {
    return activation.kind == ObserverKind::Placeholder && !activation.isDynamic &&
           activation.dtype == "torch.float32" && weight.kind != ObserverKind::Placeholder;
}

/// The ranges of a placeholder and of a recorder cannot be had.
bool isObserved(const ObserverTraits& activation) {
    if (activation.kind == ObserverKind::Placeholder) return activation.dtype == "torch.float16";
    return activation.kind != ObserverKind::Recording && activation.kind != ObserverKind::Noop;
}

} // namespace

bool isForMode(const QConfig& qconfig, Mode mode) {
    if (!qconfig.activation || !qconfig.weight) return false;
    const ObserverTraits activation = traitsOf(*qconfig.activation), weight = traitsOf(*qconfig.weight);
    const bool isReuse = activation.kind == ObserverKind::ReuseInput;
    if (mode == Mode::Qat) return isReuse || isFakeQuantize(activation.kind) || isFakeQuantize(weight.kind);
    if (isFakeQuantize(activation.kind) || isFakeQuantize(weight.kind)) return false;
    if (isWeightOnly(activation, weight)) return true;
    if (mode == Mode::Dynamic) return activation.isDynamic;
    return mode == Mode::Static && !activation.isDynamic && isObserved(activation);
}

FittingQConfigs fittingQConfigs(const GraphModule& model, const PreparedModel& prepared, Mode mode,
                                const PrepareOptions& options, const Progress& progress) {
    const auto rules = nodeRules(prepared);
    FittingQConfigs out;
    for (const std::string_view name : qconfigNames()) {
        const QConfigPtr qconfig = namedQConfig(name);
        progress.check();
        if (!isForMode(*qconfig, mode)) continue;
        QConfigMapping mapping = prepared.state.mapping;
        for (const auto& [node, rule] : rules)
            if (prepared.state.observed.contains(node)) rule.set(mapping, qconfig);
        try {
            const PreparedModel tried = prepare(model, mapping, options);
            for (const auto& each : rules)
                if (prepared.state.observed.contains(each.first) && tried.state.observed.contains(each.first))
                    out[each.first].push_back(name);
        } catch (const Error&) { // torch.ao refuses it
        }
    }
    return out;
}

} // namespace fx::quant
