// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/passes/pass.h"

namespace fx {

/// torch.fx's `optimization.optimize_for_inference` with its `pass_config`: folds normalisations, removes dropout and
/// puts subgraphs into MKL-DNN layout (mkldnn_layout.h). The heuristic of the latter is given by name.
Pass optimizeForInferencePass();

} // namespace fx
