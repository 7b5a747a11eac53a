// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/ir/graph.h"

namespace fx {

/// Sorts the users of a node in graph order, as in a newly built graph: torch.fx's passes build one.
void sortUsers(Graph& graph, NodeId id);

} // namespace fx
