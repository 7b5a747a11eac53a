// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"

namespace fx {

/// The model as the constructor of torch.fx.GraphModule makes it: a module of which the graph only uses what is in it,
/// such as a Sequential that was followed, becomes a plain torch.nn.Module, and so does a class of the user's that no
/// node calls, so that the file needs none. Modules that came from a file of torch.save stay as they were, and so do
/// modules of torch.nn that were added and that nothing calls yet.
GraphModule withPlainHolders(GraphModule model);

} // namespace fx
