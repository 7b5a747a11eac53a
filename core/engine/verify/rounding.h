// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/engine/verify/verify.h"

namespace fx::engine {

/// True if outputs of B that are beyond the tolerance differ by no more than rounding of float32, float16 or bfloat16.
/// Runs A again in float64; B must be about as close to these values as A is:
///
///     max |B - A64| <= 8 · max |A - A64|  and  rms (B - A64) <= 4 · rms (A - A64)        for each such output
///
/// So the 50 layers of a network may accumulate their rounding in another order, while an error that the type resolves
/// remains an error. The result is false if the models also differ in float64 by more than a rounding of the weights
/// that only one of them has (1.7 for 1.702), or if A cannot run in float64. Types that nodes of A name become float64,
/// too. `a` and `b` are the sides as given. Calls `options.freshA`. Restores the state of the random generator.
bool onlyRounding(const Value& outputA, const Value& outputB, const VerifySide& a, const VerifySide& b,
                  const VerifyOptions& options);

/// True if tensors of float32, float16 or bfloat16 differ only by rounding: their float64 values agree, and B is not
/// much farther from these than A. An error of B alone is no rounding, since A shows that the type can avoid it: log(1
/// + x) instead of log1p(x).
bool bothRound(const Value& a, const Value& b, const Value& exactA, const Value& exactB, const Tolerances& tolerances);

/// True if two models differ in float64 by more than constants and weights round, while float32 would hide it: the
/// error is larger than that of the float32 result `a` of A. So 1e-5 of the scale counts, where `isGross` needs 1e-4.
bool differExactly(const Value& a, const Value& exactA, const Value& exactB);

} // namespace fx::engine
