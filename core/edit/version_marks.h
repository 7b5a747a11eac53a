// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"

#include <vector>

namespace fx {

/// The nodes that tell two versions of one history apart. Ids mean the same nodes, unless a version was made as a graph
/// of its own: then names do. In graph order.
struct VersionMarks {
    std::vector<NodeId> created; ///< without what only stands for something erased, see RecreatedNodes
    /// Another call, name, type or module; also other inputs, unless only new nodes took the place of erased ones.
    std::vector<NodeId> edited;
};

/// What happened from one version to a later one (or back). Linear; nodes that the versions share cost almost nothing.
VersionMarks versionMarks(const GraphModule& from, const GraphModule& to);

} // namespace fx
