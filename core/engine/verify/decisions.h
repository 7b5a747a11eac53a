// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/engine/verify/scene.h"

namespace fx::engine {

/// Calls that make integers or booleans of floats, or round them, where the models give them other floats: their
/// results are the same so far and yet say little.
///
///     A:  x ─ fc ── argmax          the order of what fc and fc' give is compared, of all classes and for many values:
///     B:  x ─ fc'── argmax          other weights change it somewhere; a scale, a shift or a softmax never does
///
/// argmax, sort, topk and the like depend on the order along their dimension, comparisons on the sign of a difference,
/// rounding and all else on the values themselves. A call that decides by floats of which the models' own data show
/// that they differ, and that many values do not show to decide the same, is given back.
Exits differAtDecisions(const Stage& stage, const Scene& scene);

/// Such calls further on, which follow exits that agree but for more than rounding of them: what they get is looked at
/// along with all that leads from the exits to them. `table`: of the models' own data.
Exits differAtLaterDecisions(const Stage& stage, const NodeTable& table, const Exits& exits);

} // namespace fx::engine
