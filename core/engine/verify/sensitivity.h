// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/engine/verify/border_values.h"

namespace fx::engine {

/// Compares the order of the floats that calls choose by (argmax, sort, topk and the like) if the two models give the
/// calls different floats. Equal choices on the data so far are weak evidence then.
///
///     A:  x ─ fc ── argmax          compares the order of all classes in the results of fc and fc', for many values:
///     B:  x ─ fc'── argmax          other weights change it somewhere; a scale, a shift or a softmax never does
///
/// Returns the calls whose order differs by more than rounding, or that choose among more elements in one of the
/// models.
Exits differInOrder(const CheckContext& context, const BorderValues& border);

/// Finds nodes after `exits` that receive slightly different floats but return equal values so far, such as a
/// comparison. `table` has the comparisons on the models' own data. Returns a border without exits if none of these
/// nodes returns integers, booleans or whole numbers.
BorderValues laterDecisions(const CheckContext& context, const NodeTable& table, const Exits& exits);

} // namespace fx::engine
