// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <span>

namespace fx {

/// Applies the Box-Muller transform of PyTorch's CPU kernel for float32 (ATen's `normal_fill_16_AVX2`): 16 uniform
/// numbers in [0, 1) become 16 normal ones. Logarithm, sine and cosine are the polynomials of the Cephes library (S.
/// Moshier) with the kernel's order of operations and fused multiply-adds. The results equal PyTorch's bit for bit.
void makeNormal16(std::span<float, 16> numbers, float mean, float deviation);

} // namespace fx
