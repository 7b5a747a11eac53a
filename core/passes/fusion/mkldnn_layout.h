// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/passes/pass.h"

namespace fx {

/// The heuristic by which torch.fx's `optimize_for_inference` selects the subgraphs that stay in MKL-DNN layout.
enum class MklHeuristic : std::uint8_t {
    Length,   ///< `use_mkl_length`: more than two nodes
    Autotuner ///< `gen_mkl_autotuner`: subgraphs that are measured to be faster; needs the worker
};

/// The last part of torch.fx's `optimize_for_inference`: runs nodes with MKL-DNN kernels between `to_mkldnn` and
/// `to_dense`, and replaces Conv2d, Linear and BatchNorm2d by modules of torch.utils.mkldnn. Unlike torch.fx, leaves
/// nodes alone that the kernels do not support (see mkldnn_kernels.h). Returns true if anything changed.
bool mkldnnLayout(const PassRun& run, MklHeuristic heuristic);

} // namespace fx
