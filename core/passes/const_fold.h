// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/passes/pass.h"

namespace fx {

/// Mirrors torch.fx's `split_const_subgraphs` followed by `run_folding`: computes the nodes that depend on no input
/// once, and stores the values in `_FX_CONST_FOLDED_ATTRS` (a parameter, or a ParameterList if there are several).
/// Needs an engine. Unlike torch.fx, keeps the paths of modules and the names of nodes.
Pass constFoldPass();

/// Mirrors torch.fx's `split_const_subgraphs` without `run_folding`: moves the nodes that depend on no input into the
/// module `const_subgraph_module`. The graph calls that module, so the model still runs; `torch.load` does not restore
/// torch.fx's `FoldedGraphModule`, which calls it once.
Pass splitConstPass();

} // namespace fx
