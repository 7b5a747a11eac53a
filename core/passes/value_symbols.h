// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/shapes/size_fit.h"

#include <map>

namespace fx {

/// Values of the symbols in sizes: {"s77": 9}.
using SymbolNumbers = std::map<std::string, std::int64_t, std::less<>>;

/// Returns the value with numbers in place of symbols; nullopt if one cannot be computed.
std::optional<ValueInfo> withNumbers(const ValueInfo& info, const SymbolNumbers& numbers);
/// Returns the number that a printed size is in each sample; empty if one cannot be computed.
SizeFit::Values numbersOf(const std::string& text, const std::vector<SymbolNumbers>& samples);
/// Sets the sizes and strides of `info` to expressions that give those of `each` sample, or the number likewise. Texts
/// of `before` that still hold are kept. Returns false if one cannot be expressed; `info` may then be partially
/// changed.
bool fitInfo(ValueInfo& info, const std::vector<const ValueInfo*>& each, SizeFit& fit, const ValueInfo& before,
             const std::vector<SymbolNumbers>& samples);

} // namespace fx
