// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/trace/constants/tensor_call.h"

namespace fx::trace {

/// What an operation that only arranges the elements of one tensor anew (view, permute, select, …) makes of its sizes;
/// nullopt for other names too.
std::optional<Sizes> movedSizes(std::string_view name, const TensorCall& call, const Sizes& sizes);

} // namespace fx::trace
