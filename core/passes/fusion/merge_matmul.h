// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/passes/pass.h"

namespace fx {

/// torch.fx's `merge_matmul`: products with the same matrix on the right become one product of what stands on the left,
/// one below the other. What torch.fx calls `split_result_tensors` are calls of torch.split here, which load anywhere;
/// and shapes that do not allow it are left alone, unless that is switched off.
Pass mergeMatmulPass();

} // namespace fx
