// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"

#include <set>

/// The tensors of a model that constants computed on loading read: `self.pos` in "torch.sin(self.pos)".
namespace fx {

/// Resolves the start of `read` that leads to a member of the model, and returns it with its path. The rest of `read`
/// may name attributes of the tensor ("k.T").
std::pair<PathTarget, std::string> readTarget(PathResolver& paths, const std::string& read);

/// Returns the path of the module that `self` means in the text of the constant at the path `constant`: the innermost
/// GraphModule around it that has any of `reads`, else the root. Constants of an inlined graph stay in their old
/// module.
std::string readerOf(PathResolver& paths, const std::string& constant, const std::set<std::string>& reads);

/// The tensors that the text of a constant reads.
struct ComputedReads {
    std::string reader;             ///< path of the module that `self` means
    std::vector<std::string> paths; ///< paths of tensors from the root
};
/// Returns the reads of the tensor at `path`; empty for tensors that are not computed and for text that is not an
/// expression.
ComputedReads computedReads(PathResolver& paths, const std::string& path, const TensorPtr& tensor);

/// Returns the paths of modules and tensors of `root` that a graph needs: the targets of its nodes in order, then the
/// tensors that computed constants among them read. Without duplicates.
std::vector<std::string> neededPaths(const Graph& graph, const Module& root);

} // namespace fx
