// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/trace/constants/constant_tensors.h"
#include "core/trace/numbers/python_numbers.h"
#include "core/trace/tracer.h"

namespace fx::trace {
namespace {
/// `torch.float32.itemsize`, `torch.finfo(torch.float32).max`: rows of the table of functions.
std::optional<Value> fact(const std::string& holder, std::string_view name) {
    const std::string path = holder + "." + std::string(name);
    return ops::findFunction(path) ? std::optional(resolveName(path)) : std::nullopt;
}

std::optional<Value> limitOf(const Construction& made, std::string_view name) {
    const bool limits = made.type->qualifiedName == "torch.finfo" || made.type->qualifiedName == "torch.iinfo";
    if (!limits || made.args.size() + made.kwargs.size() > 1) return std::nullopt;
    const Value* type = made.args.empty() ? made.kwargs.empty() ? nullptr : &made.kwargs[0].second : &made.args[0];
    return fact(made.type->qualifiedName + "(" + (type ? textOf(*type) : "torch.float32") + ")", name);
}

std::optional<Value> partOfNumber(const Value& number, std::string_view name) {
    const auto* complex = number.as<Argument>()->as<Complex>();
    if (complex && name == "real") return Value{Argument(complex->re)};
    if (complex && name == "imag") return Value{Argument(complex->im)};
    const bool whole = plainInteger(number).has_value();
    if (name == "real" || (name == "numerator" && whole)) return plainUnary("pos", number);
    if (name == "imag") return whole ? Value{Argument(0)} : Value{Argument(0.0)};
    if (name == "denominator" && whole) return Value{Argument(1)};
    return std::nullopt;
}
} // namespace

std::optional<Value> attributeOfConstant(const Value& object, std::string_view name) {
    if (const auto* made = object.as<Construction>()) return limitOf(*made, name);
    const auto* argument = object.as<Argument>();
    if (!argument) return std::nullopt;
    if (const auto* constant = argument->as<TorchConstant>();
        constant && constant->kind == TorchConstant::Kind::Dtype) {
        if (auto value = fact(constant->name, name)) return value;
        if (name == "to_real" || name == "to_complex" || name.starts_with("__")) return std::nullopt;
        throw PythonError("AttributeError: 'torch.dtype' object has no attribute '" + std::string(name) + "'");
    }
    if (const auto* device = argument->as<Device>()) {
        if (name == "type") return Value{Argument(device->type)};
        if (name == "index") return device->index < 0 ? none() : Value{Argument(device->index)};
    }
    const bool isNumber = argument->as<bool>() || argument->as<std::int64_t>() || argument->as<double>() ||
                          argument->as<BigInt>() || argument->as<Complex>();
    return isNumber ? partOfNumber(object, name) : std::nullopt;
}

} // namespace fx::trace
