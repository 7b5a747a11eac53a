// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/engine/bound_call.h"

namespace fx::engine {

/// Returns a mask to add: one of booleans becomes -inf where it is true, with the dtype of `like`. None stays None.
/// Throws Error{Run} for a mask of integers.
Value canonicalMask(const Value& mask, const Value& like);

/// Mirrors torch.nn.functional.multi_head_attention_forward; returns (output, weights or None).
Value multiHeadAttention(const Names& names);

} // namespace fx::engine
