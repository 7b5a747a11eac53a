// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/engine/verify/landmarks.h"
#include "core/engine/verify/scene.h"

/// What models do for numbers that their own inputs do not contain.
namespace fx::engine {

/// Numbers that are no tensors: an input `k: int`, what `bool()` makes of a tensor, a size. Those of the inputs are
/// varied, and what follows from them is compared. A boolean that what changed decides by is the other one. A number
/// that was computed is varied only for exits that depend on nothing else: others have to fit to it.
Exits differForNumbers(const Stage& stage, const Scene& scene, const Landmarks& landmarks);

/// Where what changed works element by element on one value, it is a function of a number: compared at the constants
/// of what changed, zero, halves and a few magnitudes. A number at which the models differ counts when an element of
/// the value reaches it between its data and those of larger inputs of either sign, since layers are continuous:
///
///     A:  x ─ fc ─ max ─ > 50    the maximum is 1.3, and 240 for inputs 100 times as large: 55 lies between,
///     B:  x ─ fc ─ max ─ > 60    where A says true and B says false
///
/// A difference at one number alone, with none beside it, is a remark: `round` and `floor(x + 0.5)` at halves, `>` and
/// `>=`. So is one that is not finite in one model.
Exits differWhereReached(const Stage& stage, const Scene& scene, const Landmarks& landmarks);

/// Remarks on what models do for values that are no doubt of a rewrite: NaN, infinite and so large ones that one model
/// overflows. Not for layers, whose sums overflow anyway.
void tellSpecialValues(const Stage& stage, const Scene& scene);

/// Integers at the limits of their type, and those that narrower types do not hold.
Exits differAtLimits(const Stage& stage, const Scene& scene);

} // namespace fx::engine
