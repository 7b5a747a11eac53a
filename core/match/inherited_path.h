// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/ir/graph.h"

#include <span>

namespace fx {

/// Gives nodes that replace others the innermost module that all of these are called in, as their `nn_module_stack`, so
/// that a module whose calls were replaced by functions keeps its place in pictures and outlines. Nodes that have a
/// stack, and calls of modules, keep what they have. torch.fx has no equivalent.
void inheritModulePath(Graph& graph, std::span<const NodeId> replaced, std::span<const NodeId> created);

} // namespace fx
