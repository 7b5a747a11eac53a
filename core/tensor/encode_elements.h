// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"
#include "core/tensor/tensor_ref.h"

namespace fx {

/// Whether `encodeElement` can write elements of this type: bool, integers up to 64 bits, and floating point of 16 to
/// 64 bits.
bool canEncode(DType dtype);
/// Writes a number as an element of `dtype`, rounded as PyTorch's conversions do: to the nearest in floating point,
/// towards zero in integers.
void encodeElement(DType dtype, double value, std::byte* out);
/// A number as an element of a type in floating point has it.
double roundedTo(DType dtype, double value);
/// The values of a tensor as another type, contiguous and in memory: `tensor.to(dtype)`; null if one of the types
/// cannot be converted. Throws Error{File, Cancelled}.
TensorPtr converted(const TensorRef& tensor, DType dtype, const Progress& progress = {});

} // namespace fx
