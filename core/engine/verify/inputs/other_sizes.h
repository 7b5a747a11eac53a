// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/engine/verify/scene.h"

#include <set>

namespace fx::engine {

/// What gives other values when sizes are others: `view(1, -1)` for `flatten(1)` at a batch of one, `x[:, :200]` for
/// `x[:, :100]` where there are no more than 64, pooling over one element.
///
/// Sizes that are small, or no larger than an integer in what changed, are made larger: in all values alike, first all
/// of them, then one by one. Where one of the models cannot be run so, they are doubled, since `reshape(-1, 64)` needs
/// multiples; where it still cannot, that says nothing. A size of one also becomes one of the others, since it
/// broadcasts, and others become one, which squeeze drops. What differs is believed when inputs of other sizes, on
/// which A can be run, show it: the width of a layer's result is what it is. Sizes that are fixed in the inputs of an
/// exported program are a part of the model.
Exits differForOtherSizes(const Stage& stage, const Scene& scene);

/// Sizes that one of two models fixes for its inputs: those of an exported program that are no symbols.
std::set<std::int64_t> fixedSizesOf(const VerifySide& a, const VerifySide& b);

} // namespace fx::engine
