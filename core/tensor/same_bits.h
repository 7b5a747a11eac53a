// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"
#include "core/tensor/tensor_ref.h"

#include <vector>

namespace fx {

/// Returns true if the elements of both tensors, in row-major order, have the same bits; dtype and sizes must be equal.
/// Unevaluated expressions compare by their source. Throws Error{File} if values cannot be read.
bool sameBits(const TensorRef& a, const TensorRef& b, const Progress& progress);

/// Returns some bytes of a tensor, from its first, middle and last elements. Tensors of the same dtype and size with
/// different samples differ. Empty for expressions, for tensors without elements, and for
/// dtypes or layouts whose elements cannot be read one by one. Throws Error{File}.
std::vector<std::byte> sampleOf(const TensorRef& tensor, const Progress& progress);

} // namespace fx
