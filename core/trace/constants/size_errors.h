// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/trace/constants/constant_sizes.h"

/// Errors of PyTorch about sizes that do not fit, with its texts. All of them throw PythonError.
namespace fx::trace {

/// Throws an exception of this class of Python.
[[noreturn]] void raiseAs(std::string_view type, const std::string& text);
/// Returns "[2, 3]".
std::string sizesText(const Sizes& sizes);
/// Returns a number as C++ streams print it.
std::string numberText(double number);
/// Returns the index of a dimension of a tensor of `rank` dimensions; throws if it is out of range.
std::size_t requireDimension(std::int64_t dim, std::size_t rank);
/// Throws if a tensor of these sizes has no attribute `H`, `mT` or `mH`.
void requireMatrices(std::string_view attribute, const Sizes& sizes);
/// Throws if the sizes do not broadcast, in the order of the operands.
void requireBroadcast(const std::vector<const Sizes*>& all);
/// Throws if `a @ b` has no result because its inner sizes differ. Returns if the text depends on more than the sizes.
void requireProduct(const Sizes& a, const Sizes& b);
/// Throws if tensors cannot be concatenated along `dim`. All of them have as many dimensions as the first.
void requireJoined(const std::vector<const Sizes*>& all, std::size_t dim);
/// Throws if tensors cannot be stacked because their sizes differ.
void requireSameSizes(const std::vector<const Sizes*>& all);
/// Throws if a tensor of `sizes` cannot be expanded to `wanted`, which has at least as many dimensions.
void requireExpansion(const Sizes& sizes, const Sizes& wanted);
/// Throws if `view` and `reshape` can take no such sizes, whatever the tensor.
void requireReshapable(const Sizes& wanted);
/// Throws for `view` and `reshape` of `count` elements to `wanted`.
[[noreturn]] void refuseShape(const Sizes& wanted, std::int64_t count);

} // namespace fx::trace
