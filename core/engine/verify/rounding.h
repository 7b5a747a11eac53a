// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/engine/verify/verify.h"

namespace fx::engine {

/// Whether what the outputs of B differ by beyond the tolerance is rounding of float32 and no more: A is run once more
/// in float64, and B is as near to these values as A itself is.
///
///     |B - A64| <= 16 · median |A - A64|        at each element beyond the tolerance
///
/// So the 50 layers of a network may add up their roundings in another order, while an error that float32 resolves
/// stays an error. False when A cannot be computed in float64 (dtypes that its nodes name), or its own rounding is
/// large against its values. Calls `options.freshA`. Leaves the random generator as it was.
bool onlyRounding(const Value& outputA, const Value& outputB, const VerifyOptions& options);

} // namespace fx::engine
