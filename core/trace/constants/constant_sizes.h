// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/trace/value.h"

/// Sizes of constant tensors, and the numbers among the arguments that give them.
namespace fx::trace {

using Sizes = std::vector<std::int64_t>;

/// Of numbers of which each may be unknown; nullopt when 64 bits do not hold the product.
std::optional<std::int64_t> product(std::optional<std::int64_t> a, std::optional<std::int64_t> b);
std::optional<std::int64_t> product(const Sizes& all);

/// `total / step`, rounded up.
inline std::int64_t partCount(std::int64_t total, std::int64_t step) { return total / step + (total % step > 0); }

/// Strides of a tensor whose elements lie one after another in rows.
Sizes stridesInRows(const Sizes& sizes);

/// Sizes of `tensor[key]` for integers, slices, None and `...`; nullopt for other keys.
std::optional<Sizes> indexedSizes(const Sizes& sizes, const Value& key);

/// The common broadcast sizes; nullopt if there are none.
std::optional<Sizes> broadcast(const std::vector<const Sizes*>& all);

std::optional<std::int64_t> integerOf(const Value& value);
/// `f(2, 3)` and `f((2, 3))` are equivalent for functions that take sizes.
std::optional<Sizes> sizesFrom(const Values& args, std::size_t from = 0);
const Value* keywordOf(const KeywordValues& kwargs, std::string_view name);

} // namespace fx::trace
