// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/passes/pass.h"

#include <unordered_set>

namespace fx {

/// A call that torch.fx's `optimize_for_inference` runs in MKL-DNN layout, other than sums and products. A module with
/// settings that the kernels do not have (padding by words or other values than zeros, dilated pools) does not count:
/// PyTorch's result fails there or computes something else. Throws Error{Refused} in torch.fx's words for weights and
/// normalisations that the pass does not take.
bool hasKernel(const Node& node, PathResolver& paths);
/// A sum or product of two values of the graph: it runs in MKL-DNN layout if one of them is in this layout already.
bool isSumOrProduct(const Node& node);

/// Nodes that would fail in MKL-DNN layout, as PyTorch's result does: sums and products of values of different sizes,
/// and pools to a size that does not divide that of their input.
struct KernelSizes {
    std::unordered_set<NodeId> refused, unknown; ///< unknown: they may
};
/// Empty for a model without kernels. Asks the worker for sizes that the graph does not tell.
KernelSizes kernelSizes(const PassRun& run);

} // namespace fx
