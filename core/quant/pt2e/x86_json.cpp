// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/quant/pt2e/x86_json.h"

#include "core/diag/error.h"
#include "core/quant/pt2e/decomposed_calls.h"
#include "core/quant/qconfig_json.h"

#include <algorithm>

namespace fx::quant::pt2e {
namespace {

std::string torchaoType(const std::string& type) {
    const std::string name = type.substr(type.rfind('.') + 1);
    return std::string("torchao.quantization.pt2e.") +
           (name.ends_with("FakeQuantize") ? "fake_quantize." : "observer.") + name;
}

/// What the observer is made with, apart from what the specification says.
ObserverSpec observerOf(const ObserverSpec& spec) {
    ObserverSpec observer;
    observer.type = torchaoType(spec.type);
    for (const auto& [name, value] : spec.settings) {
        static constexpr const char* kOfSpec[] = {"dtype",   "quant_min",  "quant_max",   "qscheme",
                                                  "ch_axis", "is_dynamic", "reduce_range"};
        if (std::find(std::begin(kOfSpec), std::end(kOfSpec), name) == std::end(kOfSpec))
            observer.settings.emplace_back(name, value);
    }
    if (spec.observer) observer.observer = std::make_shared<const ObserverSpec>(observerOf(*spec.observer));
    return observer;
}

SpecPtr specOf(const ObserverSpec* observer) {
    if (!observer) return nullptr;
    const ObserverTraits traits = traitsOf(*observer);
    QuantizationSpec spec;
    spec.dtype = underlying(traits.dtype);
    if (spec.dtype == "torch.float32") return nullptr;
    spec.quantMin = traits.quantMin, spec.quantMax = traits.quantMax;
    spec.qscheme = traits.qscheme;
    spec.isDynamic = traits.isDynamic;
    if (traits.isPerChannel()) spec.axis = traits.axis < 0 ? 0 : traits.axis;
    spec.observer = observerOf(*observer);
    return std::make_shared<const QuantizationSpec>(std::move(spec));
}

X86ConfigPtr configFrom(const JsonValue& json, bool isQat, bool isDynamic) {
    if (json.isNull()) return nullptr;
    if (json.isString() && json.asText() == "default") return defaultX86Config(isQat, isDynamic);
    if (json.isString() && json.asText() == "reduce_range") return defaultX86Config(isQat, isDynamic, true);
    if (json.isString() && json.asText() == "linear_fp16") return linearFp16Config();
    const QConfigPtr qconfig = qconfigFromJson(json);
    return qconfig ? x86ConfigOf(qconfig->activation.get(), qconfig->weight.get(), isQat) : nullptr;
}

/// `[[key, CONFIG]...]` or `{key: CONFIG}`.
template<class Set> void rules(const JsonValue& json, bool isQat, bool isDynamic, const Set& set) {
    for (const JsonValue rule : json) {
        if (json.isObject()) {
            set(std::string(rule.key()), configFrom(rule, isQat, isDynamic));
            continue;
        }
        if (!rule.isArray() || rule.size() != 2 || !(*rule.begin()).isString())
            throw Error(ErrorKind::Refused, Message("quant.rule_form")).at(rule.path());
        set(std::string((*rule.begin()).asText()), configFrom(*++rule.begin(), isQat, isDynamic));
    }
}

} // namespace

X86ConfigPtr x86ConfigOf(const ObserverSpec* activation, const ObserverSpec* weight, bool isQat) {
    X86Config config;
    config.input = config.output = specOf(activation);
    config.weight = specOf(weight);
    config.isQat = isQat;
    return std::make_shared<const X86Config>(std::move(config));
}

X86Quantizer x86QuantizerFromJson(const JsonValue& json, bool isQat, bool isDynamic) {
    X86Quantizer quantizer;
    bool hasGlobal = false;
    if (!json.isObject()) { // one configuration for all
        quantizer.setGlobal(configFrom(json, isQat, isDynamic));
        return quantizer;
    }
    for (const JsonValue member : json)
        if (member.key().empty()) hasGlobal = true, quantizer.setGlobal(configFrom(member, isQat, isDynamic));
    if (!hasGlobal) quantizer.setGlobal(defaultX86Config(isQat, isDynamic));
    for (const JsonValue member : json) {
        if (member.key().empty() || member.key() == "base") continue;
        if (member.key() == "object_type")
            rules(member, isQat, isDynamic,
                  [&](const std::string& key, X86ConfigPtr config) { quantizer.setType(key, std::move(config)); });
        else if (member.key() == "module_name")
            rules(member, isQat, isDynamic, [&](const std::string& key, X86ConfigPtr config) {
                quantizer.setModuleName(key, std::move(config));
            });
        else throw Error(ErrorKind::Refused, Message("pt2e.rule_kind", {{"key", member.key()}})).at(member.path());
    }
    return quantizer;
}

} // namespace fx::quant::pt2e
