// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"

#include <set>

/// What tensors that are computed on loading read of their model: `self.pos` in "torch.sin(self.pos)".
namespace fx {

/// What `read` leads to from the module at the start of its path, and the path of that: a read may go on to attributes
/// of the tensor ("k.T").
std::pair<PathTarget, std::string> readTarget(PathResolver& paths, const std::string& read);

/// Path of what `self` is in the text of the constant at the path `constant`: the innermost GraphModule around it that
/// has any of `reads`; the root otherwise. A graph that was inlined leaves its own constants behind.
std::string readerOf(PathResolver& paths, const std::string& constant, const std::set<std::string>& reads);

/// What the text of a constant reads.
struct ComputedReads {
    std::string reader;             ///< path of what `self` is
    std::vector<std::string> paths; ///< of tensors, from the root
};
/// Of the tensor at `path`; nothing of tensors that are not computed, and of texts that are not expressions.
ComputedReads computedReads(PathResolver& paths, const std::string& path, const TensorPtr& tensor);

/// The modules and tensors that a graph needs in the tree of `root`: what its nodes name, each path once and in their
/// order, and then what the computed constants among them read.
std::vector<std::string> neededPaths(const Graph& graph, const Module& root);

} // namespace fx
