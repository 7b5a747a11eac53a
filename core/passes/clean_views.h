// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/passes/pass.h"

namespace fx {

/// Joins and removes calls that only arrange values: views of views, permutations of permutations, transpositions that
/// cancel each other, unsqueeze before squeeze, contiguous or clone twice, and views that change nothing.
Pass cleanViewsPass();

} // namespace fx
