// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/passes/pass.h"

namespace fx {

/// Merges and removes calls that only rearrange values: views of views, permutations of permutations, transpositions
/// that cancel, `unsqueeze` before `squeeze`, repeated `contiguous` or `clone`, and views that change nothing.
Pass cleanViewsPass();

} // namespace fx
