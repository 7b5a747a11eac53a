// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/ir/graph.h"

namespace fx {

/// Sorts the nodes topologically: nodes without inputs first, others as soon as their inputs are available, and
/// symbolic arithmetic as early as possible. Mirrors torch.fx's `legalize_graph`. Keeps ids and names. Returns false,
/// without changes, if there is a cycle. Linear.
bool legalizeGraph(Graph& graph);

} // namespace fx
