// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"

#include <array>

namespace fx {

/// A model at a glance: what `lancet info` and the window's overview show.
struct ModelInfo {
    /// Nodes of each kind, indexed by Op; for an exported program lifted inputs count too.
    std::array<std::int64_t, 6> nodes{};
    std::string_view dialect;   ///< "fx", "aten" or "torchscript"
    ModuleTotals totals;        ///< modules without the root; tied tensors once
    std::vector<NodeId> inputs; ///< placeholders that the user feeds: not lifted parameters, buffers, constants
    std::vector<std::string>
        unknownTargets; ///< functions and module paths that nothing is known of, in graph order, once each

    std::int64_t nodeCount() const;
};

/// Collects it. Linear in nodes and modules; reads no tensor data.
ModelInfo modelInfo(const GraphModule& module);

} // namespace fx
