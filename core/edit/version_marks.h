// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"
#include "core/shapes/node_shapes.h"

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

/// Makes the edits since `from` the likely causes of what fails in `to`: of each failure the last node in graph order
/// that was created or edited and leads to the failed one, or is it. Failures that no edit leads to keep their causes.
///
///     conv ── relu (edited) ── view ── linear     fails: the cause is relu
///     conv ── [relu erased] ── add                fails: the cause is add, whose input changed
void blameEdits(std::vector<ShapeFailure>& failures, const GraphModule& from, const GraphModule& to);

} // namespace fx
