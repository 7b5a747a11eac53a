// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"

namespace fx::script {

/// Converts a block of script to a graph for display only. Variables keep their names. A branch calls `prim.If` with
/// its condition and two nested graphs; a loop calls `prim.Loop` with the maximum number of rounds, the initial
/// condition, and a nested graph. Both then take the inputs of the nested graphs:
///
///     %v4 : Tensor = prim::If(%v0)     v4 = torch.ops.prim.If(v0, true_graph_0, false_graph_0, (v1,))
///       block0():                      true_graph_0:  v3 = torch.ops.aten.relu(v1)
///         %v3 : Tensor = aten::relu(%v1)
///         -> (%v3)
///
/// Returns null for a module that is not a block, or whose text `BlockText` did not write.
std::shared_ptr<const GraphModule> blockGraph(const Module& block);

} // namespace fx::script
