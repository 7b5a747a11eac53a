// SPDX-License-Identifier: GPL-3.0-or-later
// Whether a backend has kernels for what a QConfig asks of a pattern.
#include "core/quant/preparation/target_dtypes.h"

#include <algorithm>

namespace fx::quant {

bool TargetDTypes::isSupported(const PatternMatch& match, const QConfigPtr& qconfig) {
    const Graph& graph = m_heads.graph();
    if (match.standalone) return true;
    if (match.root == kNoNode) return false;
    const Node& root = graph.node(match.root);
    const Argument& first = match.matched.parts.front().value;
    const Node& output = first.isNode() ? graph.node(first.node()) : root;
    for (const DTypeConfig& config : match.config->dtypes) {
        bool supported = true;
        for (const Argument& arg : root.args()) supported = supported && supportsInput(arg, root, qconfig, config);
        for (const auto& each : root.kwargs())
            supported = supported && supportsInput(each.second, root, qconfig, config);
        if (supported && supportsOutput(output, qconfig, config)) return true;
    }
    return false;
}

/// torch.ao `_is_input_arg_dtype_supported_by_backend`.
bool TargetDTypes::supportsInput(const Argument& arg, const Node& node, const QConfigPtr& qconfig,
                                 const DTypeConfig& config) {
    if (const auto* list = arg.as<Sequence>())
        return std::all_of(list->items.begin(), list->items.end(),
                           [&](const Argument& item) { return supportsInput(item, node, qconfig, config); });
    if (!arg.isNode()) return true;
    const TargetInfo& info = m_infos[index(node.id())];
    if (isWeight(node, arg.node(), info))
        return config.weight.dtype.empty() ||
               (m_traits.of(info.weight).dtype == config.weight.dtype && satisfies(qconfig, config.weight, false));
    if (isBias(node, arg.node(), info)) return config.bias.empty() || m_traits.of(info.bias).dtype == config.bias;
    const ObserverTraits& input = m_traits.of(info.input);
    return config.input.dtype.empty() || (config.input.dtype == input.dtype && config.isDynamic == input.isDynamic &&
                                          satisfies(qconfig, config.input, true));
}

/// torch.ao `_is_output_dtype_supported_by_backend`.
bool TargetDTypes::supportsOutput(const Node& node, const QConfigPtr& qconfig, const DTypeConfig& config) {
    const ObserverTraits& output = m_traits.of(m_infos[index(node.id())].output);
    const std::string& dtype = output.isDynamic ? m_traits.of(floatPlaceholder()).dtype : output.dtype;
    return config.output.dtype.empty() || (dtype == config.output.dtype && satisfies(qconfig, config.output, true));
}

/// torch.ao `_qconfig_satisfies_dtype_config_constraints`.
bool TargetDTypes::satisfies(const QConfigPtr& qconfig, const DTypeConstraint& constraint, bool isActivation) {
    if (!qconfig || constraint.dtype.empty()) return true;
    const ObserverPtr& spec = isActivation ? qconfig->activation : qconfig->weight;
    if (!spec) return true;
    const ObserverTraits& traits = m_traits.of(spec);
    if (traits.dtype != constraint.dtype) return true;
    const ObserverTraits& observer = traits.inner ? *traits.inner : traits;
    if (constraint.quantMin && constraint.quantMax) {
        if (!observer.quantMin || !observer.quantMax) return false;
        if (*observer.quantMin < *constraint.quantMin || *observer.quantMax > *constraint.quantMax) return false;
    }
    if (constraint.scaleMin) {
        // Buffers are float32.
        if (!observer.eps || static_cast<double>(static_cast<float>(*observer.eps)) < *constraint.scaleMin)
            return false;
    }
    if (!constraint.scaleExact || !constraint.zeroPointExact) return true;
    const auto isHalf = [&](bool isDynamic) {
        const ObserverTraits &activation = m_traits.of(qconfig->activation), &weight = m_traits.of(qconfig->weight);
        return activation.kind == ObserverKind::Placeholder && weight.kind == ObserverKind::Placeholder &&
               activation.dtype == "torch.float16" && weight.dtype == "torch.float16" &&
               activation.isDynamic == isDynamic;
    };
    if (isHalf(false) || isHalf(true)) return true;
    if (observer.kind != ObserverKind::FixedQParams) return false;
    return static_cast<double>(static_cast<float>(observer.fixedScale)) == *constraint.scaleExact &&
           observer.fixedZeroPoint == *constraint.zeroPointExact;
}

} // namespace fx::quant
