// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <ATen/core/ivalue.h>

#include <string_view>
#include <vector>

namespace fx::engine {

/// Looks at the arguments of a quantised operator, in schema order, before LibTorch does: throws Error{Run} for those
/// that LibTorch does not check and with which it reads memory that is not there.
using OperatorGuard = void (*)(const std::vector<c10::IValue>& stack);

/// The guard of an operator ("quantized::embedding_bag_byte"), null for those that check their arguments themselves.
/// Found by calling quantised operators of LibTorch 2.13 (x86; not the poolings and all of the packing) with inputs
/// that are empty, not quantised or out of range.
OperatorGuard operatorGuard(std::string_view name);

} // namespace fx::engine
