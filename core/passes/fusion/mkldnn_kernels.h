// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/passes/pass.h"

#include <unordered_set>

namespace fx {

/// True for a call, other than a sum or product, that torch.fx's `optimize_for_inference` runs in MKL-DNN layout.
/// False for modules with settings that the kernels lack (padding given as text or with non-zero values, dilated
/// pools): in PyTorch's result they fail or compute something else. Throws Error{Refused} with torch.fx's message for
/// weights and normalisations that the pass refuses.
bool hasKernel(const Node& node, PathResolver& paths);
/// True for a sum or product of two nodes, which runs in MKL-DNN layout if one of its inputs has this layout.
bool isSumOrProduct(const Node& node);

/// Nodes that would fail in MKL-DNN layout, as they do in PyTorch's result: sums and products of values with different
/// sizes, and pools to a size that does not divide that of their input.
struct KernelSizes {
    std::unordered_set<NodeId> refused, unknown; ///< `unknown`: sizes are missing, so the node may fail
};
/// Returns the result for all nodes; empty for a model without kernels. Asks the worker for sizes that are not in the
/// graph's metadata.
KernelSizes kernelSizes(const PassRun& run);

} // namespace fx
