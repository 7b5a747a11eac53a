// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/tensor/tensor_ref.h"

namespace fx {

/// The kind of a layer into which a batch normalisation can be folded.
enum class FoldableKind : std::uint8_t {
    Convolution, ///< weight [out, in / groups, ...]
    Transposed,  ///< weight [in, out / groups, ...]
    Linear       ///< weight [out, in]
};

/// The statistics and parameters of a batch normalisation in eval mode; null `weight` means 1, null `bias` means 0.
struct NormTensors {
    TensorPtr mean, variance, weight, bias; ///< float tensors with one element per channel
    double eps = 1e-5;
};

/// Returns the number of channels in a layer's output; -1 if the weight is not one of such a layer.
std::int64_t channelsOf(FoldableKind kind, const TensorRef& weight, std::int64_t groups);

/// True if all tensors of the normalisation have one element per channel of the layer, whose bias may be null. A
/// normalisation of one feature fits a linear layer of any width. `foldNorm` requires it.
bool fitsNorm(FoldableKind kind, std::int64_t groups, const TensorRef& weight, const TensorPtr& bias,
              const NormTensors& norm);

/// True if all tensors are float32, or all float64. Half-precision types are refused, because PyTorch's intermediate
/// rounding is not reproduced.
bool canFold(const TensorRef& weight, const TensorPtr& bias, const NormTensors& norm);

/// The result of `foldNorm`; both tensors are parameters.
struct FoldedWeights {
    TensorPtr weight, bias;
};
/// Mirrors PyTorch's `fuse_conv_bn_weights` and `fuse_linear_bn_weights`. Performs the same operations in the same
/// order with the same rounding, so all bits are equal. Also correct for transposed convolutions with groups, unlike
/// PyTorch. `bias` may be null. Only for tensors that fit (`fitsNorm`).
FoldedWeights foldNorm(FoldableKind kind, std::int64_t groups, const TensorPtr& weight, const TensorPtr& bias,
                       const NormTensors& norm);

} // namespace fx
