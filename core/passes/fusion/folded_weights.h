// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/tensor/tensor_ref.h"

namespace fx {

/// A layer that a batch normalisation can be folded into.
enum class FoldableKind : std::uint8_t {
    Convolution, ///< weight [out, in / groups, ...]
    Transposed,  ///< weight [in, out / groups, ...]
    Linear       ///< weight [out, in]
};

/// The statistics and parameters of a batch normalisation in eval mode; `weight` and `bias` may be null (1 and 0).
struct NormTensors {
    TensorPtr mean, variance, weight, bias;
    double eps = 1e-5;
};

/// The number of channels that a layer gives, and of those that a normalisation takes.
std::int64_t channelsOf(FoldableKind kind, const TensorRef& weight, std::int64_t groups);

/// Whether all tensors are float32, or all float64: halves are rounded at each step, which is not repeated here.
bool canFold(const TensorRef& weight, const TensorPtr& bias, const NormTensors& norm);

/// PyTorch's `fuse_conv_bn_weights` and `fuse_linear_bn_weights`: each operation rounded, in PyTorch's order, so that
/// every bit is PyTorch's. Also for transposed convolutions with groups, of which PyTorch's are wrong. `bias` may be
/// null; the new ones are parameters.
struct FoldedWeights {
    TensorPtr weight, bias;
};
FoldedWeights foldNorm(FoldableKind kind, std::int64_t groups, const TensorPtr& weight, const TensorPtr& bias,
                       const NormTensors& norm);

} // namespace fx
