// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/engine/verify/border_values.h"

namespace fx::engine {

/// Compares a region on values of other sizes. These show, for example, `view(1, -1)` instead of `flatten(1)` at a
/// batch of one, `x[:, :200]` instead of `x[:, :100]` for no more than 64 columns, or pooling over one element.
///
/// Varies each size of the values at the border separately; see `varySizes`. Also replaces sizes of one by the others,
/// since they broadcast, and others by one, which squeeze drops. Sizes that one of the models refuses are no evidence.
/// A difference counts if inputs of other sizes that A accepts show it, since the width of a layer's result cannot
/// vary. Sizes that an exported program fixes for its inputs never vary.
///
/// Returns the exits that differ.
Exits differForOtherSizes(const CheckContext& context, const BorderValues& border);

/// Says how B accepts fewer input sizes than A, if both are exported programs: "dimension 0 of the input x is s0 in A,
/// 4 in B". Empty if B accepts them all. Compares symbols by their ranges, not by their names.
Message narrowerSizes(const GraphModule& a, const GraphModule& b);

/// Returns the sizes of A's inputs that one of the models fixes: those of an exported program that are not symbols.
FixedSizes fixedSizesOf(const VerifySide& a, const VerifySide& b);

} // namespace fx::engine
