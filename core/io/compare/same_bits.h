// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"
#include "core/tensor/tensor_ref.h"

namespace fx {

/// True when the elements of both tensors, in row-major order, have the same bits; type and sizes must be equal.
/// Expressions that are not evaluated compare by their source. Throws Error{File} if values cannot be read.
bool sameBits(const TensorRef& a, const TensorRef& b, const Progress& progress);

} // namespace fx
