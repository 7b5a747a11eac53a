// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/trace/value.h"

/// Infers shapes and dtypes of operations on constant tensors by rules; computes no values.
namespace fx::trace {

using Sizes = std::vector<std::int64_t>;

/// The result tensor of an operation; without sizes if they depend on values or exceed the rules.
struct ConstantType {
    std::optional<Sizes> sizes;
    DType dtype = DType::Float32;
};
struct ConstantResult {
    std::vector<ConstantType> tensors;
    bool isTuple = false;
};

/// The result of `torch.name(args)` or `args[0].name(...)`. Never fails: an unknown operation gives one tensor with the
/// operands' type and unknown sizes.
ConstantResult constantResult(std::string_view name, const Values& args, const KeywordValues& kwargs);

/// Strides of a contiguous row-major tensor.
Sizes stridesInRows(const Sizes& sizes);

/// Sizes of `tensor[key]` for integers, slices, None and `...`; nullopt for other keys.
std::optional<Sizes> indexedSizes(const Sizes& sizes, const Value& key);

/// The common broadcast sizes; nullopt if there are none.
std::optional<Sizes> broadcast(const std::vector<const Sizes*>& all);

/// torch.result_type of the operands; other values are ignored.
DType resultType(const Values& operands);

std::optional<std::int64_t> integerOf(const Value& value);
/// `f(2, 3)` and `f((2, 3))` are equivalent for functions that take sizes.
std::optional<Sizes> sizesFrom(const Values& args, std::size_t from = 0);
const Value* keywordOf(const KeywordValues& kwargs, std::string_view name);

} // namespace fx::trace
