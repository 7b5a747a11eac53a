// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/passes/pass.h"

namespace fx {

/// How torch.fx's `optimize_for_inference` chooses the subgraphs that stay in MKL-DNN layout.
enum class MklHeuristic : std::uint8_t {
    Length,   ///< `use_mkl_length`: more than two nodes
    Autotuner ///< `gen_mkl_autotuner`: where the model is measured to be faster; needs the worker
};

/// The last part of torch.fx's `optimize_for_inference`: nodes that MKL-DNN has kernels for run between `to_mkldnn` and
/// `to_dense`, and Conv2d, Linear and BatchNorm2d become modules of torch.utils.mkldnn. Returns whether anything
/// changed. Other than there, what the kernels do not take stays as it is (see mkldnn_kernels.h).
bool mkldnnLayout(const PassRun& run, MklHeuristic heuristic);

} // namespace fx
