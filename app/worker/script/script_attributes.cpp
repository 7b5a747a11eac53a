// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/worker/script/script_attributes.h"

#include "core/torchscript/input_types.h"

#include <torch/csrc/jit/frontend/script_type_parser.h>

namespace app {
namespace {

c10::Device deviceOf(const fx::Device& device) {
    return c10::Device(device.type + (device.index >= 0 ? ":" + std::to_string(device.index) : ""));
}

/// A literal as a value of the type that `attributeType` gave it.
c10::IValue valueOf(const fx::Argument& literal, const c10::TypePtr& type) {
    if (const auto optional = type->cast<c10::OptionalType>())
        return literal.isNone() ? c10::IValue() : valueOf(literal, optional->getElementType());
    if (const auto* flag = literal.as<bool>()) return *flag;
    if (const auto* number = literal.as<std::int64_t>()) return *number;
    if (const auto* real = literal.as<double>()) return *real;
    if (const auto* complex = literal.as<fx::Complex>()) return c10::complex<double>(complex->re, complex->im);
    if (const auto* text = literal.as<std::string>()) return *text;
    if (const auto* device = literal.as<fx::Device>()) return deviceOf(*device);
    if (const auto list = type->cast<c10::ListType>()) {
        c10::impl::GenericList out(list->getElementType());
        for (const fx::Argument& item : literal.asList()->items) out.push_back(valueOf(item, list->getElementType()));
        return out;
    }
    if (const auto tuple = type->cast<c10::TupleType>()) {
        std::vector<c10::IValue> out;
        const std::vector<fx::Argument>& items = literal.asTuple()->items;
        for (std::size_t i = 0; i < items.size(); ++i) out.push_back(valueOf(items[i], tuple->elements().at(i)));
        return c10::ivalue::Tuple::create(std::move(out));
    }
    if (const auto dict = type->cast<c10::DictType>()) {
        c10::impl::GenericDict out(dict->getKeyType(), dict->getValueType());
        for (const auto& [key, item] : literal.as<fx::Dict>()->items)
            out.insert(valueOf(key, dict->getKeyType()), valueOf(item, dict->getValueType()));
        return out;
    }
    return {};
}

} // namespace

void addLiterals(torch::jit::Module& out, const fx::Module& module) {
    for (const auto& [name, value] : module.attributes) {
        const auto* literal = std::get_if<fx::Argument>(&value);
        const std::string annotation = literal ? fx::script::attributeType(*literal) : std::string();
        if (annotation.empty() || out.hasattr(name)) continue;
        const c10::TypePtr type = torch::jit::ScriptTypeParser().parseType(annotation);
        out.register_attribute(name, type, valueOf(*literal, type));
    }
}

} // namespace app
