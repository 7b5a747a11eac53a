// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/engine/value.h"
#include "core/remote/verify_report.h"

namespace fx::engine {

/// The tolerance for values of that type: what the user set, else that of torch.testing.assert_close.
Tolerance toleranceFor(at::ScalarType type, const Tolerances& chosen);

/// The numbers that a tensor stands for, contiguous: dequantised, dense, not conjugated.
at::Tensor plain(at::Tensor tensor);

/// How far `b` is from `a`, element by element, in double precision (integers exactly), a block at a time: no copy as
/// large as the tensors is made of contiguous ones. Tensors of other shape or type are not comparable; for another type
/// alone the errors are still measured. Quantised ones are compared by what they stand for. `scale`: measure scale and
/// rms of `a` also when both are equal, which takes a pass over the values.
ValueDifference compareTensors(const at::Tensor& a, const at::Tensor& b, const Tolerances& tolerances,
                               bool scale = true);

/// Calls `leaf(path, a, b)` for each pair of leaves of two values: tensors, numbers, texts. Where the structures part,
/// it is `parted(path, why)` and nothing below is looked at.
void pairLeaves(const Value& a, const Value& b,
                const std::function<void(const std::string& path, const Value& a, const Value& b)>& leaf,
                const std::function<void(const std::string& path, const Message& why)>& parted);

/// Two leaves: tensors as above, numbers as tensors of float64 or int64 without dimensions, others by Python's ==.
ValueDifference compareLeaves(const Value& a, const Value& b, const Tolerances& tolerances, bool scale = true);
/// All leaves of two values as one difference: the largest errors, and the first reason.
ValueDifference compareValues(const Value& a, const Value& b, const Tolerances& tolerances, bool scale = true);

/// "2×3 in A, 3 in B"
Message inBoth(const std::string& a, const std::string& b);
/// "[0]: 2×3 in A, 3 in B"; what lies at no path is `difference` itself.
Message atPath(const std::string& path, const Message& difference);
/// "…; …"
Message bothOf(const Message& first, const Message& second);

/// "a tuple of 2 in A, a list of 2 in B" for the first sequences of two values that are not both tuples or both lists,
/// which pairLeaves does not tell apart; otherwise empty.
Message otherSequence(const Value& a, const Value& b);

} // namespace fx::engine
