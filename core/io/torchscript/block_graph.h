// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"

namespace fx::script {

/// A block of script as a graph to look at; it is not run. Variables keep their names. A branch calls `prim.If` with
/// its condition and two nested graphs, a loop calls `prim.Loop` with the most turns, whether there is a first one and
/// a nested graph; both are followed by what the nested graphs take:
///
///     %v4 : Tensor = prim::If(%v0)     v4 = torch.ops.prim.If(v0, true_graph_0, false_graph_0, (v1,))
///       block0():                      true_graph_0:  v3 = torch.ops.aten.relu(v1)
///         %v3 : Tensor = aten::relu(%v1)
///         -> (%v3)
///
/// Null for a module that is no block, or whose text is not one that `BlockText` writes.
std::shared_ptr<const GraphModule> blockGraph(const Module& block);

} // namespace fx::script
