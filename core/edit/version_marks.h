// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"
#include "core/module/graph_module.h"
#include "core/shapes/node_shapes.h"

#include <vector>

namespace fx {

/// The nodes that differ between two versions of one history, in graph order: see `VersionDiff`, or `diffModels` if the
/// graph of a version was rebuilt with new ids.
struct VersionMarks {
    std::vector<NodeId> created; ///< new nodes, without recreated ones
    /// Nodes with another call, name, type, or module by its settings and contents. Also nodes with other inputs,
    /// unless new nodes only replaced erased ones.
    std::vector<NodeId> edited;
};

/// Compares one version with a later or earlier one. Linear; what they share costs almost nothing. Throws
/// Error{Cancelled}.
VersionMarks versionMarks(const GraphModule& from, const GraphModule& to, const Progress& progress = {});

/// Blames failures in `to` on the edits since `from`. The cause of a failure becomes the last node in graph order that
/// was created or edited and that the failing node is or depends on. Failures that depend on no edit keep their
/// causes.
///
///     conv ── relu (edited) ── view ── linear     fails: the cause is relu
///     conv ── [relu erased] ── add                fails: the cause is add, whose input changed
void blameEdits(std::vector<ShapeFailure>& failures, const GraphModule& from, const GraphModule& to,
                const Progress& progress = {});

} // namespace fx
