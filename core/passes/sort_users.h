// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/ir/graph.h"

namespace fx {

/// Puts the users of a node into the order of the graph, as they are in a graph that is made anew: torch.fx's passes
/// make one.
void sortUsers(Graph& graph, NodeId id);

} // namespace fx
