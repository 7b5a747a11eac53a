// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/trace/constants/tensor_call.h"

namespace fx::trace {

/// Returns the sizes after an operation that only rearranges the elements of one tensor (view, permute, select, …);
/// nullopt for other operations and invalid arguments.
std::optional<Sizes> movedSizes(std::string_view name, const TensorCall& call, const Sizes& sizes);

} // namespace fx::trace
