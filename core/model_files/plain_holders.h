// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"

namespace fx {

/// The model as the constructor of torch.fx.GraphModule makes it: a module of which the graph only uses what is in it,
/// such as a Sequential that was followed, becomes a plain torch.nn.Module. So the file needs no class of the user.
/// Modules that came from a file of torch.save stay as they were.
GraphModule withPlainHolders(GraphModule model);

} // namespace fx
