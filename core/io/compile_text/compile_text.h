// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"

#include <functional>
#include <optional>
#include <string_view>

namespace fx {

/// Maximum size of a text, in bytes.
inline constexpr std::uint64_t kMaxCompileText = 256 << 20;

/// Returns the next text that may contain the same graph; nullopt after the last.
using OtherTexts = std::function<std::optional<std::string>()>;

/// Returns true if Python text is a graph that torch.compile or `print_readable()` wrote: a module class whose forward
/// has annotations such as "f32[2, 8]", or the `class Repro` of a runnable.
bool isCompileText(std::string_view text);

/// Reads such a text; annotations may be missing. `path` is used in errors.
///
///     class GraphModule(torch.nn.Module):        -> className, graph
///         def forward(self, x: "f32[3]"): ...
///         class cond_true_0(torch.nn.Module):    -> subgraphs, or a child if the graph calls it as a module
///
/// Nodes, names, targets and arguments equal those of the GraphModule that printed the text. Annotations go to
/// `NodeMeta::values`. Tensors have no values unless the text lists them. A runnable lacks the bodies of higher-order
/// operators (`self.true_graph_0 = <lambda>()`); they are taken from the first of `others` that prints the same graph.
/// Throws Error{File} with the line.
std::shared_ptr<GraphModule> readCompileText(std::string_view text, const std::string& path,
                                             const OtherTexts& others = {});

/// Reads a file of at most `kMaxCompileText` bytes. The other texts are the `fx_graph_*.py` beside it.
std::shared_ptr<GraphModule> readCompileFile(const std::string& path);

} // namespace fx
