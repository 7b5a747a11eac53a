// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/passes/pass.h"

namespace fx {

/// torch.fx's `optimization.optimize_for_inference` with its `pass_config`: folds normalisations and removes dropout.
/// `mkldnn_layout_optimize` is false by default, other than there: MKL-DNN tensors and the modules of
/// torch.utils.mkldnn, which are TorchScript, cannot be made here, so true is refused.
Pass optimizeForInferencePass();

} // namespace fx
