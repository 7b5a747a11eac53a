// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/ir/graph.h"

namespace fx {

/// Refuses an edit whose input defaults make the def line of `forward` invalid: a default that is not a plain value, a
/// default of `*args`, or an input without a default after one with a default. Accepts problems that existed before
/// the edit. O(differences), or linear if inputs differ. Throws Error{Refused}.
void requireDefaults(const Graph& before, const Graph& after);

} // namespace fx
