// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/engine/verify/verify.h"

#include <utility>
#include <vector>

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

/// The parameters, buffers and plain tensors of a model in float64 where they are float32, as long as it lives: what
/// the model gives then is what float32 rounds. The store's tensors stay the same objects.
class InDouble {
public:
    InDouble(const GraphModule& model, TensorStore& tensors);
    ~InDouble();
    InDouble(const InDouble&) = delete;
    InDouble& operator=(const InDouble&) = delete;

private:
    std::vector<std::pair<at::Tensor, at::Tensor>> m_before; ///< tensors, and their float32 data
};

/// A value with float64 tensors in the place of float32 ones.
Value inDouble(const Value& value);

/// Whether two tensors of float32 differ by no more than either of them rounds: they agree in float64, and both are
/// about as far from that. An error that only one of them has is not rounding: the other one shows that float32
/// can do without it: log(1 + x) beside log1p(x).
bool bothRound(const Value& a, const Value& b, const Value& exactA, const Value& exactB, const Tolerances& tolerances);

} // namespace fx::engine
