// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/io/compilation/provenance.h"
#include "core/module/graph_module.h"

namespace fx {

/// The corresponding nodes of two stages of a compilation, by node id. One node may correspond to several.
struct StageLinks {
    std::vector<std::vector<NodeId>> ofA, ofB; ///< by node id of A: nodes of B; by node id of B: nodes of A
    std::size_t tracked = 0;                   ///< nodes of A that PyTorch tracked; others are matched by structure
};

/// A stage as a graph; see isBeforeInductor for `isBefore`.
struct StageGraph {
    const GraphModule& module;
    bool isBefore;
};

/// Links two stages: by PyTorch's provenance maps where these lead from one stage to the other, and by `Counterparts`
/// for all other nodes. Linear.
StageLinks linkStages(const StageGraph& a, const StageGraph& b, const Provenance& provenance);

} // namespace fx
