// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/engine/run_value.h"
#include "core/remote/verify_report.h"

namespace fx::engine {

/// Returns the tolerance for a dtype: the one that the user set, else that of torch.testing.assert_close.
Tolerance toleranceFor(at::ScalarType type, const Tolerances& chosen);

/// Returns the tensor dequantised, dense, contiguous and with conjugation resolved.
at::Tensor plain(at::Tensor tensor);

/// Compares two tensors element by element in double precision, and integers exactly. Works block by block and makes no
/// full copy of contiguous tensors. Tensors of other shapes or dtypes are not comparable; if only the dtype differs,
/// the errors are still measured. Quantised tensors are compared by their dequantised values. `scale` also measures the
/// scale and the rms of `a` if both are equal, which costs a pass over the values.
ValueDifference compareTensors(const at::Tensor& a, const at::Tensor& b, const Tolerances& tolerances,
                               bool scale = true);

/// Calls `leaf(path, a, b)` for each pair of leaves of two values: tensors, numbers, texts. Where the structures
/// differ, calls `parted(path, why)` and does not descend.
void pairLeaves(const Value& a, const Value& b,
                const std::function<void(const std::string& path, const Value& a, const Value& b)>& leaf,
                const std::function<void(const std::string& path, const Message& why)>& parted);
/// Returns the leaves of a value, in the order of `pairLeaves`.
Values leavesOf(const Value& value);
/// Returns the leaves of a value in the order of the leaves of `own`, also if their dicts order keys differently. Empty
/// if the structures differ.
Values leavesOf(const Value& value, const Value& own);

/// Compares two leaves: tensors as `compareTensors` does, numbers as float64 or int64 tensors without dimensions, other
/// values by Python's ==.
ValueDifference compareLeaves(const Value& a, const Value& b, const Tolerances& tolerances, bool scale = true);
/// Compares all leaves of two values and merges the results: the largest errors, and the first reason.
ValueDifference compareValues(const Value& a, const Value& b, const Tolerances& tolerances, bool scale = true);

/// Returns the root mean square error of each leaf; infinite for leaves that cannot be compared. Empty if the values
/// have another structure.
std::vector<double> rmsErrors(const Value& a, const Value& b);

/// Returns "the largest error is 0.5". 0 means that values are not finite.
Message largestError(double largest);
/// Returns "2×3 in A, 3 in B".
Message inBoth(const std::string& a, const std::string& b);
/// Returns "[0]: 2×3 in A, 3 in B". If the path is empty, returns `difference` unchanged.
Message atPath(const std::string& path, const Message& difference);
/// Joins two messages with "; ".
Message bothOf(const Message& first, const Message& second);

/// Finds the first pair of sequences of which one is a tuple and the other a list, which `pairLeaves` does not
/// distinguish. Returns "a tuple of 2 in A, a list of 2 in B", or an empty message if there is no such pair.
Message otherSequence(const Value& a, const Value& b);

} // namespace fx::engine
