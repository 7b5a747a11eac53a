// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/tensor/tensor_ref.h"

namespace fx::quant {

/// Returns a float32 tensor of these values; empty `sizes` make a scalar.
TensorPtr floatTensor(const std::vector<double>& values, std::vector<std::int64_t> sizes);
/// Returns an integer tensor of this dtype.
TensorPtr intTensor(const std::vector<std::int64_t>& values, std::vector<std::int64_t> sizes, DType dtype);

/// Returns `count` float32 zeros without memory of their size; each histogram would otherwise hold 8 KB.
TensorPtr zeroTensor(std::int64_t count);

} // namespace fx::quant
