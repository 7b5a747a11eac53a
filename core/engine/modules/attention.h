// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/engine/bound_call.h"

namespace fx::engine {

/// torch.nn.functional.multi_head_attention_forward: (output, weights or None).
Value multiHeadAttention(const Names& names);

} // namespace fx::engine
