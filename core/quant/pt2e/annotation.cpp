// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/quant/pt2e/annotation.h"

#include <algorithm>

namespace fx::quant::pt2e {
namespace {

Argument qschemeValue(const std::string& name) {
    if (name.empty()) return {};
    return Argument(TorchConstant{TorchConstant::Kind::QScheme, name});
}
Argument numberOrNone(const std::optional<std::int64_t>& value) { return value ? Argument(*value) : Argument(); }

} // namespace

ObserverSpec QuantizationSpec::observerSpec(bool isQat) const {
    if (kind == Kind::Fixed) {
        ObserverSpec fixed{"torchao.quantization.pt2e.observer.FixedQParamsObserver",
                           {{"dtype", Argument::dtype(dtype)}, {"scale", scale}, {"zero_point", zeroPoint}},
                           {}};
        fixed.settings.emplace_back("quant_min", numberOrNone(quantMin));
        fixed.settings.emplace_back("quant_max", numberOrNone(quantMax));
        fixed.settings.emplace_back("qscheme", qschemeValue(qscheme));
        fixed.settings.emplace_back("is_dynamic", isDynamic);
        if (!isQat) return fixed;
        return {"torchao.quantization.pt2e.fake_quantize.FixedQParamsFakeQuantize",
                {},
                std::make_shared<const ObserverSpec>(std::move(fixed))};
    }
    ObserverSpec spec = observer;
    const auto set = [&](const char* name, Argument value) {
        const auto found = std::find_if(spec.settings.begin(), spec.settings.end(),
                                        [&](const auto& each) { return each.first == name; });
        if (found == spec.settings.end()) spec.settings.emplace_back(name, std::move(value));
        else found->second = std::move(value);
    };
    set("dtype", Argument::dtype(dtype));
    set("quant_min", numberOrNone(quantMin));
    set("quant_max", numberOrNone(quantMax));
    set("qscheme", qschemeValue(qscheme));
    if (spec.type.find("PerChannel", spec.type.rfind('.')) != std::string::npos) set("ch_axis", numberOrNone(axis));
    set("is_dynamic", isDynamic);
    return spec;
}

SpecPtr sharedWith(EdgeOrNode with) {
    QuantizationSpec spec;
    spec.kind = QuantizationSpec::Kind::Shared;
    spec.from = {with};
    return std::make_shared<const QuantizationSpec>(std::move(spec));
}

void Annotation::setInput(NodeId input, SpecPtr spec) {
    const auto found =
        std::find_if(inputs.begin(), inputs.end(), [input](const auto& each) { return each.first == input; });
    if (found == inputs.end()) inputs.emplace_back(input, std::move(spec));
    else found->second = std::move(spec);
}

} // namespace fx::quant::pt2e
