// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/passes/pass.h"

namespace fx {

/// Folds normalisations, removes dropout and moves subgraphs to MKL-DNN layout (mkldnn_layout.h). Mirrors torch.fx's
/// `optimization.optimize_for_inference` and its `pass_config`; a setting names the layout heuristic.
Pass optimizeForInferencePass();

} // namespace fx
