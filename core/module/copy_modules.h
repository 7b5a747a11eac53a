// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"

namespace fx {

/// Gives `to` a new root with everything that its nodes refer to in `from`, like `torch.fx.GraphModule(root, graph)`.
/// Modules are shared with `from`; unused modules on the path to a target are new and empty; plain tensors become
/// buffers, as in torch.fx. Constants that are not computed yet also take along what they read.
void copyModules(const GraphModule& from, GraphModule& to);

} // namespace fx
