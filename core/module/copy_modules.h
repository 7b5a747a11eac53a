// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"

namespace fx {

/// Gives `to` a new root with all members of `from` that its nodes refer to, like `torch.fx.GraphModule(root, graph)`.
/// Modules are shared with `from`. Unused modules on the path to a target are new and empty. Plain tensors become
/// buffers, as in torch.fx. Constants that are not computed yet bring along the tensors that they read.
void copyModules(const GraphModule& from, GraphModule& to);

} // namespace fx
