// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"

#include <array>

namespace fx {

/// A summary of a model, shown by `lancet info` and the window's overview.
struct ModelInfo {
    /// Nodes of each kind, indexed by Op; for an exported program, including lifted inputs.
    std::array<std::int64_t, 6> nodes{};
    std::string_view dialect; ///< "fx", "aten" or "torchscript"
    ModuleTotals totals;      ///< modules without the root; tied tensors once
    TensorTotals packed;      ///< `packedTotals`
    std::vector<NodeId>
        inputs; ///< placeholders that the user provides, without lifted parameters, buffers and constants
    std::vector<std::string> unknownTargets; ///< unknown functions and module paths, in graph order, each once

    std::int64_t nodeCount() const;
};

/// Packed weights and biases of quantised layers, which are neither parameters nor buffers. Each object counts once.
TensorTotals packedTotals(const Module& root);

/// Summarises a model. Linear in nodes and modules; reads no tensor data.
ModelInfo modelInfo(const GraphModule& module);
/// The dialect of a file with this graph. Edits can erase the calls that tell it: of an edited model, that of the
/// original counts.
std::string_view dialectOf(const GraphModule& module);

} // namespace fx
