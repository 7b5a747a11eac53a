// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/engine/verify/landmarks.h"
#include "core/engine/verify/scene.h"

/// What models do beyond the values that their own data show. A scene is run on values that are altered. What differs
/// there is believed when the models' inputs, altered in the same way, give values that show it too: a clamp to 0..1
/// behind a sigmoid may be erased.
namespace fx::engine {

/// Near the constants of what changed, and where flags that are all the same are others.
Exits differNearConstants(const Stage& stage, const Scene& scene, const Landmarks& landmarks);
/// For other integers: a clamp of words before their table.
Exits differForIntegers(const Stage& stage, const Scene& scene, const Landmarks& landmarks);
/// For values so small that the small constants of what changed count, and for rows of zeros.
Exits differForSmall(const Stage& stage, const Scene& scene);
/// For other rows of the tables that inputs of integers look up.
Exits differForWords(const Stage& stage, const Scene& scene, const Landmarks& landmarks);
/// For NaN and infinite values, where a call exists to find or replace them. Where the model's inputs are no floats,
/// what the scene shows is believed.
Exits differForNonFinite(const Stage& stage, const Scene& scene);

} // namespace fx::engine
