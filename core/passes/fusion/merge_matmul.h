// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/passes/pass.h"

namespace fx {

/// Merges products with the same right-hand matrix into one product of their concatenated left-hand matrices. Mirrors
/// torch.fx's `merge_matmul`, with two differences: calls of torch.split, which load anywhere, replace torch.fx's
/// `split_result_tensors`, and products whose shapes do not allow the merge are skipped unless this check is switched
/// off.
Pass mergeMatmulPass();

} // namespace fx
