// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/quant/measure/layer_sizes.h"

#include <unordered_set>

namespace fx::quant {

namespace {

constexpr std::int64_t kScale = 8, kZeroPoint = 8; ///< bytes: a double and an int64

std::int64_t qparamBytes(const Quantizer& quantizer) {
    if (!quantizer.perChannel) return kScale + kZeroPoint;
    return (quantizer.scales ? quantizer.scales->byteCount() : 0) +
           (quantizer.zeroPoints ? quantizer.zeroPoints->byteCount() : 0);
}

/// Quantised layers have the scale and zero point of their output as numbers.
std::int64_t outputQParamBytes(const Module& module) {
    const auto isNumber = [&](std::string_view name) {
        const auto* value = module.attribute(name);
        return value && std::holds_alternative<Argument>(*value);
    };
    const bool isQuantised = module.classModule.find("quantized") != std::string::npos;
    return isQuantised ? (isNumber("scale") ? kScale : 0) + (isNumber("zero_point") ? kZeroPoint : 0) : 0;
}

} // namespace

std::int64_t tensorBytes(const Module& module) {
    std::unordered_set<const TensorRef*> seen;
    std::int64_t bytes = 0;
    const auto add = [&](const TensorPtr& tensor) {
        if (!tensor || !seen.insert(tensor.get()).second) return;
        bytes += tensor->byteCount() + (tensor->quantizer ? qparamBytes(*tensor->quantizer) : 0);
    };
    forEachModule(module, [&](const std::string&, const Module& inner) {
        bytes += outputQParamBytes(inner);
        for (const auto* slots : {&inner.parameters, &inner.buffers})
            for (const Module::Slot& slot : *slots) add(slot.tensor);
        for (const auto& [name, value] : inner.attributes)
            if (const auto* tensor = std::get_if<TensorPtr>(&value)) add(*tensor);
    });
    return bytes;
}

} // namespace fx::quant
