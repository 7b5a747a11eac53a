// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/trace/constants/same_tensor.h"

#include "core/trace/constants/constant_types.h"
#include "core/trace/constants/given_arguments.h"

#include <algorithm>
#include <array>

namespace fx::trace {
namespace {

const TensorRef& tensorOf(const Value& value) { return *value.as<TensorValue>()->tensor; }

bool isComplex(DType dtype) {
    return dtype == DType::Complex32 || dtype == DType::Complex64 || dtype == DType::Complex128;
}

bool isFalse(const Value* value) {
    const auto* argument = value ? value->as<Argument>() : nullptr;
    const bool* flag = argument ? argument->as<bool>() : nullptr;
    return flag && !*flag;
}

/// One of the words of `.to()`: a dtype, a device, another tensor, a layout.
bool keeps(const TensorRef& tensor, const Value& word) {
    if (const auto* other = word.as<TensorValue>())
        return other->tensor->dtype == tensor.dtype && other->tensor->device == tensor.device;
    const auto* argument = word.as<Argument>();
    if (!argument) return false;
    if (const auto* constant = argument->as<TorchConstant>()) {
        if (constant->kind == TorchConstant::Kind::Dtype) return dtypeFromName(constant->name) == tensor.dtype;
        return constant->kind == TorchConstant::Kind::Layout ? constant->name == tensor.layout
                                                             : constant->name == "torch.preserve_format";
    }
    if (const auto* device = argument->as<Device>()) return device->type == tensor.device && device->index < 0;
    if (const auto* device = argument->as<std::string>()) return *device == tensor.device;
    return argument->isNone();
}

bool isFlag(const Value& value) {
    const auto* argument = value.as<Argument>();
    return argument && argument->as<bool>();
}

/// Behind the words stand the flags non_blocking, which does not change the tensor, and copy.
bool keepsAll(const TensorRef& tensor, const Values& args, const KeywordValues& kwargs) {
    std::size_t flags = 0;
    for (std::size_t i = 1; i < args.size(); ++i) {
        if (!isFlag(args[i]) ? !keeps(tensor, args[i]) : i == 1 || (++flags == 2 && !isFalse(&args[i]))) return false;
    }
    return std::all_of(kwargs.begin(), kwargs.end(), [&](const auto& word) {
        return word.first == "non_blocking" ||
               (word.first == "copy" ? isFalse(&word.second) : keeps(tensor, word.second));
    });
}

/// Dropout that is off gives its input; dropout1d and 3d give a view of an input without a batch dimension.
bool isDropoutOff(const ops::OperatorSemantics& operation, const Values& args, const KeywordValues& kwargs) {
    if (operation.aliased.empty() || operation.drawsRandom(givenArguments(args, kwargs))) return false;
    const std::size_t rank = tensorOf(args[0]).sizes.size();
    return operation.name == "dropout1d" ? rank == 3 : operation.name == "dropout3d" ? rank == 5 : true;
}

/// `contiguous(memory_format=torch.contiguous_format)`
bool asksForRows(const Values& args, const KeywordValues& kwargs) {
    const Value* format = args.size() > 1 ? &args[1] : keywordOf(kwargs, "memory_format");
    const auto* argument = format ? format->as<Argument>() : nullptr;
    const auto* constant = argument ? argument->as<TorchConstant>() : nullptr;
    return !format || (constant && constant->name == "torch.contiguous_format");
}

/// `flatten(start_dim=0, end_dim=-1)` over one dimension.
bool flattensOne(const TensorValue& tensor, const Values& args, const KeywordValues& kwargs) {
    const auto count = static_cast<std::int64_t>(tensor.tensor->sizes.size());
    if (!tensor.shapeKnown || count == 0) return false;
    const auto dimension = [&](std::size_t place, std::string_view word, std::int64_t otherwise) {
        const Value* given = args.size() > place ? &args[place] : keywordOf(kwargs, word);
        const std::int64_t value = given ? integerOf(*given).value_or(count) : otherwise;
        return value < 0 ? value + count : value;
    };
    const std::int64_t start = dimension(1, "start_dim", 0);
    return start == dimension(2, "end_dim", -1) && start >= 0 && start < count;
}

/// Whether the text is one call and nothing behind it.
bool isOneCall(std::string_view source, std::size_t open) {
    std::size_t depth = 0;
    for (std::size_t i = open; i < source.size(); ++i) {
        if (source[i] == '(') ++depth;
        if (source[i] == ')' && --depth == 0) return i + 1 == source.size();
    }
    return false;
}

} // namespace

bool hasKnownStrides(const TensorRef& tensor) {
    if (!tensor.storage || !tensor.storage->isExpression()) return true;
    const std::string& source = tensor.storage->expressionSource();
    const std::size_t open = source.find('(');
    if (open == std::string::npos || !isOneCall(source, open) || source.find("memory_format") != std::string::npos)
        return false;
    const std::string name = source.substr(0, open);
    if (name.ends_with("as_tensor") || name.ends_with("asarray")) return false; // of another tensor, perhaps
    const auto function = ops::findFunction(name);
    using Factory = ops::PythonFunction::Factory;
    constexpr std::array kInRows = {Factory::Sizes,  Factory::Full,    Factory::Arange,   Factory::Steps, Factory::Eye,
                                    Factory::Tensor, Factory::RandInt, Factory::RandPerm, Factory::Window};
    return function && std::find(kInRows.begin(), kInRows.end(), function->factory()) != kInRows.end();
}

bool givesSameTensor(const ops::OperatorSemantics& operation, const Values& args, const KeywordValues& kwargs) {
    const auto* self = args.empty() ? nullptr : args[0].as<TensorValue>();
    if (!self) return false;
    const TensorRef& tensor = tensorOf(args[0]);
    const std::string& name = operation.name;
    const bool alone = args.size() == 1 && kwargs.empty();
    if (name == "contiguous") return asksForRows(args, kwargs) && hasKnownStrides(tensor) && tensor.isContiguous();
    if (name == "to" || name == "as_tensor") return keepsAll(tensor, args, kwargs);
    if (name == "type" || name == "type_as") return args.size() + kwargs.size() > 1 && keepsAll(tensor, args, kwargs);
    if (name == "cpu") return alone && tensor.device == "cpu";
    if (const auto dtype = conversionMethod(name)) return alone && *dtype == tensor.dtype;
    if (operation.isRandom) return isDropoutOff(operation, args, kwargs);
    if (name == "flatten") return flattensOne(*self, args, kwargs);
    if (name == "conj" || name == "real" || name == "resolve_conj" || name == "conj_physical")
        return alone && !isComplex(tensor.dtype);
    if (name == "positive" || name == "resolve_neg" || name == "to_dense") return alone;
    if (name == "requires_grad") return true; // the method requires_grad_
    if (name.starts_with("atleast_"))
        return alone && self->shapeKnown && tensor.sizes.size() >= static_cast<std::size_t>(name[8] - '0');
    return false;
}

} // namespace fx::trace
