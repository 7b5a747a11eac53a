// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/ir/graph.h"

namespace fx {

/// Sorts the users of a node in graph order, as in the new graphs that torch.fx's passes build. Call it for a value
/// that has taken over the uses of another: `Graph::replaceAllUses` appends them.
void sortUsers(Graph& graph, NodeId id);

} // namespace fx
