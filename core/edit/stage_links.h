// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/io/compilation/provenance.h"
#include "core/module/graph_module.h"

namespace fx {

/// Which nodes of two stages of a compilation belong together, by node id: one node may become several, or several one.
struct StageLinks {
    std::vector<std::vector<NodeId>> ofA, ofB;
    std::size_t tracked = 0; ///< nodes of A that PyTorch itself followed; the others are found by structure
};

/// A stage as a graph. `isBefore`: see isBeforeInductor.
struct StageGraph {
    const GraphModule& module;
    bool isBefore;
};

/// Links two stages: by PyTorch's maps where these lead from one to the other, and by `Counterparts` for all other
/// nodes. Linear.
StageLinks linkStages(const StageGraph& a, const StageGraph& b, const Provenance& provenance);

} // namespace fx
