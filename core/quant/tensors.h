// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/tensor/tensor_ref.h"

namespace fx::quant {

/// A float32 tensor of these values; no sizes make a scalar.
TensorPtr floatTensor(const std::vector<double>& values, std::vector<std::int64_t> sizes);
/// A tensor of integers of this type.
TensorPtr intTensor(const std::vector<std::int64_t>& values, std::vector<std::int64_t> sizes, DType dtype);

/// `count` zeros of float32. No memory holds them: the 8 KB of each histogram would cost more than all else of it.
TensorPtr zeroTensor(std::int64_t count);

} // namespace fx::quant
