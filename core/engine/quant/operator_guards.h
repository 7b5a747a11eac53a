// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <ATen/core/ivalue.h>

#include <string_view>
#include <vector>

namespace fx::engine {

/// Checks the arguments of a quantised operator, in schema order, before LibTorch runs it. Throws Error{Run} for
/// arguments that LibTorch does not check and that would make it read out of bounds.
using OperatorGuard = void (*)(const std::vector<c10::IValue>& stack);

/// Returns the guard of an operator ("quantized::embedding_bag_byte"); null for operators that check their arguments.
/// Found by calling quantised operators of LibTorch 2.13 (x86; without poolings and parts of the packing) with inputs
/// that are empty, not quantised or out of range.
OperatorGuard operatorGuard(std::string_view name);

} // namespace fx::engine
