// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/ir/graph.h"

namespace fx {

/// torch.fx `legalize_graph`: puts the nodes into the order in which their inputs become known, those without inputs
/// first; symbolic arithmetic as soon as it can be done. Keeps ids and names. Returns false, without changes, if there
/// is a cycle. Linear.
bool legalizeGraph(Graph& graph);

} // namespace fx
