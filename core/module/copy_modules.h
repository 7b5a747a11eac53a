// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"

namespace fx {

/// Gives `to` a new root with what its nodes name of `from`: what `torch.fx.GraphModule(root, graph)` copies. Modules
/// are shared with `from`; modules on the way to a target that nothing names are new and empty; plain tensors become
/// buffers, as in torch.fx.
void copyModules(const GraphModule& from, GraphModule& to);

} // namespace fx
