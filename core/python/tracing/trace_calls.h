// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/error.h"
#include "core/python/tracing/trace_file.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace fx {

/// A call of a graph whose definition exists as Python source only, traced on its own.
struct TracedCall {
    std::string node; ///< name of the call
    /// The operators of the call. Its inputs are those of the node, in their order; other arguments are part of it. A
    /// called module has the path that it has in the model; modules above it are empty. Null if it was refused.
    std::shared_ptr<GraphModule> graph;
    std::optional<Error> refusal; ///< why there is no graph, with the place in the source
};

/// Returns the calls of a graph that only Python source defines: modules of classes that PyTorch lacks and that have no
/// graph, functions and operators that it lacks.
std::vector<NodeId> ownCalls(const GraphModule& model);

/// Traces what calls of a model do, by name of the node. Classes and functions are looked up in the source `file` with
/// the content `text`, and by import from its folder and those in `options.paths`. Modules have the attributes that
/// they have in `model`, and those that a plain model lacks, such as hooks and objects, from the model that the source
/// makes. Calls of functions of torch.fx.wrap and of operators stay calls.
///
/// A forward that keeps state in Python between calls is refused, because a graph does not: it is traced twice, and
/// both traces must be equal. Throws Error{File} for text that is not Python, and Error{Cancelled}.
std::vector<TracedCall> traceCalls(const std::string& file, const std::string& text, const GraphModule& model,
                                   const std::vector<std::string>& nodes, const SourceOptions& options,
                                   const Progress& progress);

} // namespace fx
