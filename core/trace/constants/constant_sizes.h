// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/trace/value.h"

/// Sizes of constant tensors, and the arguments that specify them.
namespace fx::trace {

using Sizes = std::vector<std::int64_t>;

/// Multiplies two numbers that may be unknown; nullopt on overflow of 64 bits.
std::optional<std::int64_t> product(std::optional<std::int64_t> a, std::optional<std::int64_t> b);
/// Multiplies all sizes; nullopt on overflow of 64 bits.
std::optional<std::int64_t> product(const Sizes& all);

/// Returns `total / step`, rounded up.
inline std::int64_t partCount(std::int64_t total, std::int64_t step) { return total / step + (total % step > 0); }

/// Returns the strides of a row-major contiguous tensor.
Sizes stridesInRows(const Sizes& sizes);

/// Returns the sizes of `tensor[key]` for integers, slices, None and `...`; nullopt for other keys.
std::optional<Sizes> indexedSizes(const Sizes& sizes, const Value& key);

/// Returns the common broadcast sizes; nullopt if the sizes do not broadcast.
std::optional<Sizes> broadcast(const std::vector<const Sizes*>& all);

/// Returns the value of an integer or bool; nullopt for other values.
std::optional<std::int64_t> integerOf(const Value& value);
/// Returns the sizes in `f(2, 3)` or `f((2, 3))`, starting at argument `from`.
std::optional<Sizes> sizesFrom(const Values& args, std::size_t from = 0);
/// Returns the keyword argument of this name, or null.
const Value* keywordOf(const KeywordValues& kwargs, std::string_view name);

} // namespace fx::trace
