// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"

namespace fx {

/// Converts a model to the form of an exported program: tensors read by get_attr nodes become inputs, equal getitems
/// are merged, and `lifted` lists every input in order. Throws Error{Refused} for a get_attr of anything else.
GraphModule pt2Form(const GraphModule& model);

/// Sorts getitem nodes directly after their producer and erases unused ones, as loading does. PyTorch does not
/// distinguish graphs that are equal afterwards.
void sortGetItems(Graph& graph);

} // namespace fx
