// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/passes/pass.h"

namespace fx {

/// The pairs of a layer and a normalisation that are folded.
enum class FoldedPairs : std::uint8_t {
    All,      ///< modules, functions and operators
    TorchFx,  ///< the modules that torch.fx's `fuse` folds
    AsTorchFx ///< as TorchFx, but with its result where it computes other values, and its errors
};

/// Folds batch normalisation into the preceding convolution or linear layer. A pair that cannot be folded, or that is
/// not known to compute the same afterwards, stays, with a warning. Throws Error{Refused} for models in training mode.
bool foldNorms(const PassRun& run, FoldedPairs pairs);

/// `foldNorms` as a pass, bit for bit like PyTorch. Mirrors torch.fx's `optimization.fuse`.
Pass convBnFusePass();

} // namespace fx
