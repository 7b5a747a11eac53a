// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/module/constructor_settings.h"

#include "core/ir/print.h"
#include "core/ops/nn_modules.h"

#include <algorithm>
#include <optional>

namespace fx {
namespace {

/// Settings that an instance shows only in a child of it.
struct Indirection {
    std::string_view setting, child, childSetting;
};
constexpr Indirection kTransformerLayer[] = {
    {"d_model", "self_attn", "embed_dim"},
    {"nhead", "self_attn", "num_heads"},
    {"dim_feedforward", "linear1", "out_features"},
    {"dropout", "dropout", "p"},
    {"layer_norm_eps", "norm1", "eps"},
    {"batch_first", "self_attn", "batch_first"},
    {"bias", "linear1", "bias"},
};

/// Not settings: where and how values are made.
bool isLeftOut(std::string_view name) { return name == "device" || name == "dtype"; }

/// The parameters that a caller may give. RNN, LSTM and GRU are listed with the `mode` that they pass on themselves.
std::vector<ops::Parameter> constructorParameters(const ops::NnModule& type) {
    auto parameters = type.parameters();
    if (type.name() == "RNN" || type.name() == "LSTM" || type.name() == "GRU")
        std::erase_if(parameters, [](const ops::Parameter& parameter) { return parameter.name == "mode"; });
    if (type.name() == "RNN") parameters.push_back({"nonlinearity", "'tanh'", ops::Parameter::Kind::KeywordOnly});
    std::erase_if(parameters, [](const ops::Parameter& parameter) { return isLeftOut(parameter.name); });
    return parameters;
}

bool isPresent(const Module& module, std::string_view name) {
    if (const Module::Slot* slot = module.parameter(name)) return slot->tensor != nullptr;
    if (const Module::Slot* slot = module.buffer(name)) return slot->tensor != nullptr;
    const auto* attribute = module.attribute(name);
    const auto* value = attribute ? std::get_if<Argument>(attribute) : nullptr;
    return attribute && !(value && value->isNone());
}

/// A norm without affine parameters has no bias, whatever the setting was.
bool isPlainNorm(const Module& module) {
    for (const char* name : {"affine", "elementwise_affine"})
        if (const auto* value = module.attribute(name))
            if (const auto* argument = std::get_if<Argument>(value); argument && *argument == Argument(false))
                return true;
    return false;
}

std::optional<Argument> ownSetting(const Module& module, const ops::NnModule& type, std::string_view name) {
    const auto settings = type.settings();
    const auto shown = std::find_if(settings.begin(), settings.end(),
                                    [&](const ops::NnModule::Setting& setting) { return setting.parameter == name; });
    if (name == "add_bias_kv" && module.attribute("bias_k")) return Argument(isPresent(module, "bias_k"));
    if (name == "bias" && isPlainNorm(module)) return Argument(true);
    const std::string_view attribute = shown == settings.end() ? name : shown->attribute;
    if (shown != settings.end() && shown->isPresence) return Argument(isPresent(module, attribute));
    const auto* value = module.attribute(attribute);
    if (const auto* argument = value ? std::get_if<Argument>(value) : nullptr) return *argument;
    return std::nullopt;
}

std::optional<Argument> settingOf(const Module& module, const ops::NnModule& type, std::string_view name) {
    if (auto own = ownSetting(module, type, name)) return own;
    if (name == "bias" && module.parameter(name)) return Argument(isPresent(module, name));
    // A layer for quantisation-aware training keeps its normalisation's settings there.
    const Module* norm = name == "eps" || name == "momentum" ? module.child("bn") : nullptr;
    if (const auto normType = norm ? ops::findModule(norm->qualifiedType()) : std::nullopt)
        return ownSetting(*norm, *normType, name);
    if (!type.name().ends_with("coderLayer")) return std::nullopt;
    for (const Indirection& indirection : kTransformerLayer) {
        const Module* child = indirection.setting == name ? module.child(indirection.child) : nullptr;
        const auto childType = child ? ops::findModule(child->qualifiedType()) : std::nullopt;
        if (childType) return ownSetting(*child, *childType, indirection.childSetting);
    }
    return std::nullopt;
}

bool printsAs(const Argument& value, std::string_view text) {
    static const Graph noNodes;
    if (const auto* callable = value.as<CallableValue>()) return callable->callable->qualifiedName == text;
    return reprOf(noNodes, value) == text;
}

/// A tuple that repeats one number means what that number means (`stride=(1, 1)`).
bool isDefault(const Argument& value, std::string_view text) {
    if (text.empty()) return false;
    if (printsAs(value, text)) return true;
    const Sequence* items = value.asTuple();
    return items && !items->items.empty() &&
           std::all_of(items->items.begin(), items->items.end(),
                       [&](const Argument& item) { return printsAs(item, text); });
}

std::vector<Setting> plainAttributes(const Module& module) {
    std::vector<Setting> settings;
    for (const auto& [name, value] : module.attributes)
        if (const auto* argument = std::get_if<Argument>(&value); argument && !name.starts_with("_"))
            settings.push_back({name, *argument});
    return settings;
}

} // namespace

std::vector<Setting> constructorSettings(const Module& module) {
    const auto type = ops::findModule(module.qualifiedType());
    if (!type) return plainAttributes(module);
    std::vector<Setting> settings;
    for (const ops::Parameter& parameter : constructorParameters(*type))
        if (auto value = settingOf(module, *type, parameter.name))
            settings.push_back({std::string(parameter.name), *value, isDefault(*value, parameter.defaultValue),
                                parameter.defaultValue.empty()});
    return settings;
}

std::vector<std::string> missingSettings(const Module& module, const std::vector<Setting>& settings) {
    const auto type = ops::findModule(module.qualifiedType());
    if (!type) return {"?"};
    std::vector<std::string> missing;
    for (const ops::Parameter& parameter : constructorParameters(*type)) {
        const bool optional = !parameter.defaultValue.empty() ||
                              parameter.kind == ops::Parameter::Kind::VarPositional ||
                              parameter.kind == ops::Parameter::Kind::VarKeyword;
        const bool known = std::any_of(settings.begin(), settings.end(),
                                       [&](const Setting& one) { return one.name == parameter.name; });
        if (!optional && !known) missing.emplace_back(parameter.name);
    }
    return missing;
}

} // namespace fx
