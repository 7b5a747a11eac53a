// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/trace/constants/constant_tensors.h"
#include "core/trace/numbers/python_numbers.h"
#include "core/trace/tracer.h"

#include <algorithm>
#include <array>

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

/// Whether the object has a member that no table describes: those of Python's `object`, and some of its own.
bool hasUndescribed(const Argument& object, std::string_view name) {
    static constexpr std::array<std::string_view, 24> kOfObject = {"__class__",
                                                                   "__delattr__",
                                                                   "__dir__",
                                                                   "__doc__",
                                                                   "__eq__",
                                                                   "__format__",
                                                                   "__ge__",
                                                                   "__gt__",
                                                                   "__getstate__",
                                                                   "__hash__",
                                                                   "__init__",
                                                                   "__getattribute__",
                                                                   "__init_subclass__",
                                                                   "__le__",
                                                                   "__lt__",
                                                                   "__ne__",
                                                                   "__new__",
                                                                   "__reduce__",
                                                                   "__reduce_ex__",
                                                                   "__repr__",
                                                                   "__setattr__",
                                                                   "__sizeof__",
                                                                   "__str__",
                                                                   "__subclasshook__"};
    if (std::find(kOfObject.begin(), kOfObject.end(), name) != kOfObject.end()) return true;
    if (object.as<Device>()) return name == "__enter__" || name == "__exit__";
    const bool isDtype = object.as<TorchConstant>()->kind == TorchConstant::Kind::Dtype;
    return isDtype && (name == "to_real" || name == "to_complex" || name == "__module__");
}

/// Raises AttributeError if a dtype, layout, memory format, quantisation scheme or device has no such member.
void requireMember(const Argument& object, std::string_view name) {
    static constexpr std::array<std::string_view, 4> kTypes = {"dtype", "layout", "memory_format", "qscheme"};
    if (hasUndescribed(object, name)) return;
    const auto* constant = object.as<TorchConstant>();
    const std::string type =
        "torch." + std::string(constant ? kTypes.at(static_cast<std::size_t>(constant->kind)) : "device");
    if (type == "torch.dtype" && name == "abbr")
        throw CannotFollow(Message("trace.not_computed", {{"function", "torch.dtype.abbr"}}));
    throw PythonError("AttributeError: '" + type + "' object has no attribute '" + std::string(name) + "'");
}
} // namespace

std::optional<Value> attributeOfConstant(const Value& object, std::string_view name) {
    if (const auto* made = object.as<Construction>()) return limitOf(*made, name);
    const auto* argument = object.as<Argument>();
    if (!argument) return std::nullopt;
    if (const auto* constant = argument->as<TorchConstant>(); constant && constant->kind == TorchConstant::Kind::Dtype)
        if (auto value = fact(constant->name, name)) return value;
    if (const auto* device = argument->as<Device>()) {
        if (name == "type") return Value{Argument(device->type)};
        if (name == "index") return device->index < 0 ? none() : Value{Argument(device->index)};
    }
    if (argument->as<TorchConstant>() || argument->as<Device>()) requireMember(*argument, name);
    const bool isNumber = argument->as<bool>() || argument->as<std::int64_t>() || argument->as<double>() ||
                          argument->as<BigInt>() || argument->as<Complex>();
    return isNumber ? partOfNumber(object, name) : std::nullopt;
}

} // namespace fx::trace
