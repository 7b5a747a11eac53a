// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/quant/module_values.h"

#include <algorithm>

namespace fx::quant {
namespace {

template<class Value> void setValue(Module& module, std::string_view name, Value value) {
    for (auto& [known, old] : module.attributes)
        if (known == name) {
            old = std::move(value);
            return;
        }
    module.attributes.emplace_back(name, std::move(value));
}

} // namespace

std::optional<std::int64_t> integerOf(const Module& module, std::string_view name) {
    const Argument* value = module.setting(name);
    const auto* number = value ? value->as<std::int64_t>() : nullptr;
    return number ? std::optional(*number) : std::nullopt;
}

double numberOf(const Module& module, std::string_view name, double byDefault) {
    const Argument* value = module.setting(name);
    return value ? value->number().value_or(byDefault) : byDefault;
}

bool flagOf(const Module& module, std::string_view name, bool byDefault) {
    const Argument* value = module.setting(name);
    const bool* flag = value ? value->as<bool>() : nullptr;
    return flag ? *flag : byDefault;
}

void setTensor(Module& module, std::string_view name, TensorPtr tensor) {
    for (auto* slots : {&module.parameters, &module.buffers})
        for (auto& slot : *slots)
            if (slot.name == name) {
                slot.tensor = std::move(tensor);
                return;
            }
    module.parameters.push_back({std::string(name), std::move(tensor), true});
}

void setAttribute(Module& module, std::string_view name, Argument value) { setValue(module, name, std::move(value)); }
void setAttribute(Module& module, std::string_view name, TensorPtr tensor) {
    setValue(module, name, std::move(tensor));
}

} // namespace fx::quant
