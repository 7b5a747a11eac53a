// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/ir/graph.h"

#include <span>

namespace fx {

/// Sets the `nn_module_stack` of the `created` nodes to the innermost module that contains all `replaced` nodes. A
/// module whose calls were replaced by functions thus keeps its place in drawings and outlines. Nodes that already have
/// a stack, and calls of modules, stay unchanged. torch.fx has no equivalent.
void inheritModulePath(Graph& graph, std::span<const NodeId> replaced, std::span<const NodeId> created);

} // namespace fx
