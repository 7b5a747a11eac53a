// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/engine/verify/border_values.h"

namespace fx::engine {

/// Compares a region at boundary values, which the models' own data do not contain: large and small values, values near
/// the constants of the changed region, zeros, equal values, flags that are not all the same, integers near the
/// constants and at the limits of their type.
///
/// The values at the border are altered. A difference counts if the inputs of the models, altered in the same way, lead
/// to values that show it, too: erasing a clamp to 0..1 after a sigmoid is no difference.
///
/// Returns the exits that differ in the first trial that finds any.
Exits differAtBoundaryValues(const CheckContext& context, const BorderValues& border);
/// Compares a region for NaN, then for infinity, if one of its calls detects or replaces them. If no input has floats,
/// a difference at the border counts by itself. Returns the exits that differ.
Exits differForNonFinite(const CheckContext& context, const BorderValues& border);

/// Compares a region for NaN, infinite and very large values, and adds a remark that names those for which it differs.
/// Skips regions with layers, whose sums overflow anyway. Returns the exits where B alone is NaN or infinite for values
/// that occur in practice: values as large as 100, and rows of -1000, for which exp overflows in a softmax without its
/// shift.
Exits tellSpecialValues(const CheckContext& context, const BorderValues& border);

} // namespace fx::engine
