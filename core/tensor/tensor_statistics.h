// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"
#include "core/tensor/tensor_ref.h"

#include <array>

namespace fx {

/// Statistics of a tensor. `min`, `max`, `mean`, `std` and the histogram cover the finite values.
struct TensorStatistics {
    static constexpr std::size_t kBins = 64; ///< bins of the histogram
    std::int64_t count = 0;                  ///< all elements
    std::int64_t finite = 0;                 ///< elements that are neither NaN nor infinite
    std::int64_t zeros = 0, nans = 0, infinities = 0;
    double min = 0, max = 0; ///< 0 if `finite` is 0
    double mean = 0;         ///< 0 if `finite` is 0
    double std = 0;          ///< with n - 1 in the denominator, as torch.std; NaN below two values
    bool magnitudes = false; ///< complex tensor: all figures are of absolute values
    /// Equal bins over [min, max]; the last one includes max. If all values are equal, they are in the first bin.
    std::array<std::int64_t, kBins> histogram{};
};

/// Computes statistics in two passes over the storage, in blocks of bounded memory (about 3 MB), for any size, stride
/// and dtype (half, bfloat16, float8, complex, quantised as reals). Throws Error{File} if there are no values to read
/// (meta device, unevaluated expression, unknown dtype, changed file) and Error{Cancelled}.
TensorStatistics computeStatistics(const TensorRef& tensor, const Progress& progress = {});

} // namespace fx
