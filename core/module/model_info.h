// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"

#include <array>

namespace fx {

/// A summary of a model, shown by `lancet info` and the window's overview.
struct ModelInfo {
    /// The number of nodes by Op; an exported program includes lifted inputs.
    std::array<std::int64_t, 6> nodes{};
    std::string_view dialect; ///< "fx", "aten" or "torchscript"
    ModuleTotals totals;      ///< excludes the root; tied tensors count once
    TensorTotals packed;      ///< `packedTotals`
    /// The placeholders that the user provides, without lifted parameters, buffers and constants.
    std::vector<NodeId> inputs;
    /// Unknown functions and module paths, in graph order, without duplicates.
    std::vector<std::string> unknownTargets;

    std::int64_t nodeCount() const; ///< sum of `nodes`
};

/// Returns the totals of packed weights and biases of quantised layers, which are neither parameters nor buffers. Each
/// object counts once.
TensorTotals packedTotals(const Module& root);

/// Summarises a model. Linear in nodes and modules; reads no tensor data.
ModelInfo modelInfo(const GraphModule& module);
/// Returns the dialect of a file with this graph. An edit can erase the calls that identify the dialect, so pass the
/// original of an edited model.
std::string_view dialectOf(const GraphModule& module);

} // namespace fx
