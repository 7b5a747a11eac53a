// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/ir/argument.h"

namespace fx {

/// Python's `a == b`: numbers compare across types (1 == 1.0 == True), nan is unequal to itself, dicts compare in any
/// order.
///
/// Nodes are equal if their ids are, so compare only values of one graph. `nodesDiffer` makes all nodes unequal, to
/// compare values of two graphs.
bool pythonEquals(const Argument& a, const Argument& b, bool nodesDiffer = false);

/// Python's `type(a) is type(b)`.
bool sameType(const Argument& a, const Argument& b);

} // namespace fx
