// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/engine/verify/border_values.h"

namespace fx::engine {

/// Compares changed regions that work element by element on one value, as functions of a number: at their constants,
/// zero, halves and a few magnitudes. A difference at a number counts if an element of the value passes it between the
/// models' own data and those for larger inputs of either sign, since layers are continuous:
///
///     A:  x ─ fc ─ max ─ > 50    the maximum is 1.3, and 240 for inputs 100 times as large: 55 lies between,
///     B:  x ─ fc ─ max ─ > 60    where A returns true and B returns false
///
/// A difference at a single number counts, too: `round` and `floor(x + 0.5)` at halves, `>` and `>=`. A result that is
/// not finite in one model counts at zero only. Returns the exits that differ and adds a remark for each.
Exits differWhereReached(const CheckContext& context, const BorderValues& border);

/// True if the call of a node works element by element.
bool isElementwise(const Node& node, const GraphModule& model);
/// Returns the users of an exit. Empty if one of them is the output or has no counterpart.
Exits usersOf(const CheckContext& context, const ChangedPart::Pair& exit);

} // namespace fx::engine
