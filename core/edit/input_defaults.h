// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/ir/graph.h"

namespace fx {

/// Refuses what an edit makes of the default values of inputs where Python would not read the head of `forward`: a
/// default that is no plain value, one of `*args`, an input without a default behind one that has one. What was so
/// before the edit may stay. Linear. Throws Error{Refused}.
void requireDefaults(const Graph& before, const Graph& after);

} // namespace fx
