// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/engine/verify/border_values.h"

namespace fx::engine {

/// Finds exits with integers or booleans that agree on the data so far but have another decision boundary:
///
///     A:  ─────────┐           values move from the models' own data to those of other inputs; where A changes its
///                  └─────      decision, B must change it too, just before and just after
///     B:  ───────────┐
///                    └───      argmax(softmax(y)) and argmax(y) do; with other weights they do not
///
/// Costs about 20 runs of the border in A for each boundary. Returns the exits that differ.
Exits differAtBoundaries(const CheckContext& context, const BorderValues& border);

} // namespace fx::engine
