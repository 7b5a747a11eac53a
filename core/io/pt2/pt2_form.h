// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"

namespace fx {

/// The model in the form of an exported program: tensors read by get_attr nodes become inputs, equal getitems are
/// merged, and `lifted` lists every input in order. Throws Error{Refused} for a get_attr of anything else.
GraphModule pt2Form(const GraphModule& model);

/// Sorts getitem nodes as loading does, directly after their producer, and erases unused ones. Graphs that are equal
/// after this are the same to PyTorch.
void sortGetItems(Graph& graph);

} // namespace fx
