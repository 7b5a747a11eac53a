// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/ir/graph.h"

#include <string>
#include <vector>

namespace fx {

/// An input, or a node called `self`, whose name had to change.
struct RenamedNode {
    NodeId node;
    std::string before, after; ///< targets of a placeholder, or names of another node
};

/// Renames inputs whose names hide what the generated code of the graph reads: an input called `inf` stands for
/// `math.inf`, `torch` for the module, `slice` for the builtin, and the name of an input before it for that input.
/// Renames nodes called `self`, too. torch.fx generates such code, which then computes something else. Returns the
/// changes in graph order. Call it for a graph that will be written as new code. Linear.
std::vector<RenamedNode> renameHidingNames(Graph& graph);

} // namespace fx
