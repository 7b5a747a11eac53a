// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"

namespace fx {

/// Returns the model as the constructor of torch.fx.GraphModule creates it. A module that only holds what the graph
/// uses, such as a traced Sequential, becomes a plain torch.nn.Module. So does a user's class that no node calls, so
/// that the file does not need it. Modules from a file of `torch.save`, and added modules of torch.nn that nothing
/// calls yet, stay unchanged.
GraphModule withPlainHolders(GraphModule model);

} // namespace fx
