// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/passes/pass.h"

namespace fx {

/// torch.fx's `split_const_subgraphs` followed by `run_folding`: computes what depends on no input, once, and puts the
/// values into `_FX_CONST_FOLDED_ATTRS` (a parameter, or a ParameterList if there are several). Needs an engine.
/// Modules keep their paths, which torch.fx renames, and nodes their names.
Pass constFoldPass();

/// torch.fx's `split_const_subgraphs` before `run_folding`: moves what depends on no input into the module
/// `const_subgraph_module`. The graph calls it, so that the model runs as it is; torch.fx's `FoldedGraphModule`, which
/// calls it once, is not what `torch.load` gives back.
Pass splitConstPass();

} // namespace fx
