// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"
#include "core/tensor/tensor_ref.h"

namespace fx {

/// Returns true if `encodeElement` supports the type: bool, integers up to 64 bits, and floating point of 16 to 64
/// bits.
bool canEncode(DType dtype);
/// Writes a number as an element of `dtype`. Rounds like PyTorch: to nearest for floating point, towards zero for
/// integers.
void encodeElement(DType dtype, double value, std::byte* out);
/// Returns a number rounded to a floating-point type.
double roundedTo(DType dtype, double value);
/// Converts a tensor to another type, contiguous and in memory: `tensor.to(dtype)`. Returns null if either type is
/// unsupported. Throws Error{File, Cancelled}.
TensorPtr converted(const TensorRef& tensor, DType dtype, const Progress& progress = {});

} // namespace fx
