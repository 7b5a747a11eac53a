// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/trace/constants/literal_tensors.h"

#include "core/tensor/promotion.h"
#include "core/trace/allowance.h"

#include <algorithm>

namespace fx::trace {
namespace {
/// PyTorch's limit, which a text reaches: it is a sequence of texts.
constexpr std::size_t kMostDimensions = 128;

const std::string* textIn(const Value& value) {
    const auto* argument = value.as<Argument>();
    return argument ? argument->as<std::string>() : nullptr;
}

/// The class of what is no number; empty if it is not known.
std::string_view typeOfLiteral(const Value& value) {
    if (value.isNone()) return "NoneType";
    if (const auto* sequence = value.as<ValueSequence>(); sequence && sequence->fields.empty())
        return sequence->list ? "list" : sequence->isSize ? "torch.Size" : "tuple";
    if (value.as<ValueDict>()) return "dict";
    const auto* argument = value.as<Argument>();
    if (!argument) return "";
    if (argument->as<std::string>()) return "str";
    if (argument->as<Complex>()) return "complex";
    if (argument->as<Device>()) return "torch.device";
    const auto* constant = argument->as<TorchConstant>();
    return constant && constant->kind == TorchConstant::Kind::Dtype ? "torch.dtype" : "";
}

[[noreturn]] void refuseLiteral(const Value& value) {
    throw CannotFollow(Message("trace.not_computed", {{"function", "torch.tensor of " + textOf(value)}}));
}

/// The dtype of a number; nullopt for other values.
std::optional<DType> dtypeOfNumber(const Value& value) {
    const auto* argument = value.as<Argument>();
    if (!argument) return std::nullopt;
    if (argument->as<double>()) return DType::Float32;
    if (argument->as<std::int64_t>() || argument->as<BigInt>()) return DType::Int64;
    if (argument->as<bool>()) return DType::Bool;
    if (argument->as<Complex>()) return DType::Complex64;
    return std::nullopt;
}

/// `compute_sizes`: those of the first element of each list.
Sizes sizesOfFirst(const Value& data) {
    Sizes sizes;
    for (const Value* at = &data;;) {
        if (const std::string* text = textIn(*at); text && !text->empty()) // each character is a text, too
            throw PythonError("ValueError: too many dimensions 'str'");
        const auto* sequence = at->as<ValueSequence>();
        if (!sequence && !textIn(*at)) return sizes;
        sizes.push_back(sequence ? static_cast<std::int64_t>(sequence->items.size()) : 0);
        if (sizes.size() > kMostDimensions) refuseLiteral(data);
        if (sizes.back() == 0) return sizes;
        at = &sequence->items.front();
    }
}

/// `infer_scalar_type`: the promoted dtypes of all elements.
DType inferredDtype(const Value& value) {
    charge(1);
    const Deeper deeper;
    if (const auto number = dtypeOfNumber(value)) return *number;
    if (const auto* tensor = value.as<TensorValue>()) return tensor->tensor->dtype;
    if (textIn(value)) throw PythonError("TypeError: new(): invalid data type 'str'");
    const auto* sequence = value.as<ValueSequence>();
    if (sequence && sequence->items.empty()) return DType::Float32;
    if (!sequence) {
        const std::string_view type = typeOfLiteral(value);
        if (type.empty()) refuseLiteral(value);
        throw PythonError("RuntimeError: Could not infer dtype of " + std::string(type));
    }
    std::optional<DType> all;
    for (const Value& item : sequence->items) {
        const DType own = inferredDtype(item);
        all = all && *all != own ? promoteTypes(*all, own) : own;
        if (*all == DType::Other) refuseLiteral(value);
    }
    return *all;
}

/// `store_scalar`: whether an element can be stored.
void checkElement(const Value& value, DType dtype) {
    if (const auto* tensor = value.as<TensorValue>()) {
        if (!tensor->shapeKnown || !tensor->tensor->sizes.empty()) refuseLiteral(value);
        return;
    }
    const DTypeKind kind = dtypeKind(dtype);
    const auto* argument = value.as<Argument>();
    const bool isComplex = argument && argument->as<Complex>();
    if (dtypeOfNumber(value) && (!isComplex || kind == DTypeKind::Complex || kind == DTypeKind::Bool)) return;
    const std::string type(typeOfLiteral(value));
    if (type.empty() || kind == DTypeKind::Bool) refuseLiteral(value);
    throw PythonError(kind == DTypeKind::Integer
                          ? "TypeError: '" + type + "' object cannot be interpreted as an integer"
                          : "TypeError: must be real number, not " + type);
}

/// `recursive_store`: whether all lists of a dimension have the same length.
void checkStored(const Value& value, const Sizes& sizes, std::size_t dimension, DType dtype) {
    const Deeper deeper;
    if (dimension == sizes.size()) return checkElement(value, dtype);
    const auto* sequence = value.as<ValueSequence>();
    if (!sequence && (textIn(value) || value.as<ValueDict>() || value.as<TensorValue>())) refuseLiteral(value);
    if (!sequence) throw PythonError("TypeError: not a sequence");
    const auto size = static_cast<std::int64_t>(sequence->items.size());
    if (size != sizes[dimension])
        throw PythonError("ValueError: expected sequence of length " + std::to_string(sizes[dimension]) + " at dim " +
                          std::to_string(dimension) + " (got " + std::to_string(size) + ")");
    for (const Value& item : sequence->items) checkStored(item, sizes, dimension + 1, dtype);
}

/// Whether an integer of more than 64 bits is among the elements.
bool hasWide(const Value& value) {
    if (const auto* sequence = value.as<ValueSequence>())
        return std::any_of(sequence->items.begin(), sequence->items.end(), hasWide);
    return value.as<Argument>() && value.as<Argument>()->as<BigInt>();
}

bool hasTensors(const Value& value) {
    if (const auto* sequence = value.as<ValueSequence>())
        return std::any_of(sequence->items.begin(), sequence->items.end(), hasTensors);
    return value.as<TensorValue>() != nullptr;
}

Value withoutRanges(const Value& value) {
    const Deeper deeper;
    const auto* range = value.as<Argument>() ? value.as<Argument>()->as<Range>() : nullptr;
    const auto* sequence = value.as<ValueSequence>();
    if (!range && !sequence) return value;
    Values items;
    if (sequence)
        for (const Value& item : sequence->items) items.push_back(withoutRanges(item));
    if (range && range->step != 0)
        for (std::int64_t at = range->start; range->step > 0 ? at < range->stop : at > range->stop; at += range->step) {
            charge(1);
            chargeBytes(sizeof(Value));
            items.push_back({Argument(at)});
        }
    if (range) return listOf(std::move(items));
    ValueSequence out = *sequence;
    out.items = std::move(items);
    return box(std::move(out));
}

bool hasRanges(const Value& value) {
    if (const auto* sequence = value.as<ValueSequence>())
        return std::any_of(sequence->items.begin(), sequence->items.end(), hasRanges);
    return value.as<Argument>() && value.as<Argument>()->as<Range>();
}
} // namespace

LiteralTensor literalTensor(const Value& data, std::optional<DType> dtype) {
    if (hasRanges(data)) return literalTensor(withoutRanges(data), dtype);
    if (textIn(data)) throw PythonError("TypeError: new(): invalid data type 'str'");
    LiteralTensor out{DType::Float32, sizesOfFirst(data)};
    out.dtype = dtype ? *dtype : inferredDtype(data);
    checkStored(data, out.sizes, 0, out.dtype);
    if (!dtype && out.dtype == DType::Int64 && hasWide(data))
        throw PythonError("ValueError: Overflow when unpacking long long");
    return out;
}

void prepareLiteral(Values& args, KeywordValues& kwargs) {
    if (args.empty() || args[0].as<TensorValue>()) return;
    if (hasRanges(args[0])) args[0] = withoutRanges(args[0]);
    const Value* given = keywordOf(kwargs, "dtype");
    const auto* constant = given && given->as<Argument>() ? given->as<Argument>()->as<TorchConstant>() : nullptr;
    if (given && !given->isNone() && !constant) return; // PyTorch rejects it
    const auto dtype = constant ? dtypeFromName(constant->name) : std::nullopt;
    if (constant && !dtype) return;
    const LiteralTensor made = literalTensor(args[0], dtype);
    if (dtype || !hasTensors(args[0])) return;
    std::erase_if(kwargs, [](const auto& each) { return each.first == "dtype"; });
    kwargs.emplace_back("dtype", Value{Argument::dtype(dtypeName(made.dtype))});
}

} // namespace fx::trace
