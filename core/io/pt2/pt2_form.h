// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"

namespace fx {

/// The model as an exported program holds it: tensors that get_attr nodes read become inputs of the graph, equal
/// getitems are one node, `lifted` lists every input in order. Throws Error{Refused} for a get_attr of something else.
GraphModule pt2Form(const GraphModule& model);

/// Brings getitem nodes into the order that loading gives them: directly behind what they take from; those that nothing
/// uses go. Two graphs that this makes equal are the same to PyTorch.
void sortGetItems(Graph& graph);

} // namespace fx
