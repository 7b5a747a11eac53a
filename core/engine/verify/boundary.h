// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/engine/verify/scene.h"

namespace fx::engine {

/// Exits that give integers or booleans, the same in both models with the data so far, but decide otherwise elsewhere:
///
///     A:  ─────────┐           a value goes from the models' own data to that for other inputs; where A decides
///                  └─────      otherwise, B must do so too, just before and just behind
///     B:  ───────────┐
///                    └───      argmax(softmax(y)) and argmax(y) do, those of other weights do not
///
/// About 20 runs of the scene in A for each such place.
Exits differAtBoundaries(const Stage& stage, const Scene& scene);

} // namespace fx::engine
