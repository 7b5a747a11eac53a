// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"
#include "core/module/graph_module.h"

#include <string_view>

namespace fx {

/// Rebuilds the graph of a saved GraphModule from its source, as `torch.load` does: traces the code on proxies with
/// every submodule as a leaf, so that names, normalised arguments and folded sizes equal those in Python.
///
/// `module.root` must be complete (children, parameters, buffers, attributes such as `_in_spec`); `module.graph` is
/// filled. Constants that the code computes on loading become `_tensor_constantN` attributes of the root with an
/// expression. Appends to `module.warnings`. If Python itself would fail, sets `notLoadable` and keeps the code as
/// written. `importBlock` has the import lines saved with the code. Throws Error{File} with line and reason for
/// unsupported code and for code that exceeds the trace::Allowance of this thread (or a new one, if the thread has
/// none), and Error{Cancelled} after a stop request.
void retraceSavedCode(GraphModule& module, std::string_view importBlock, std::string_view code,
                      const Progress& progress = {});

/// Rebuilds a graph from code that Python runs as it is, such as the module of `to_folder`: each statement is the node
/// that it was generated from, under its name, and `x += y` stays in place. Code that has other statements is followed
/// as `retraceSavedCode` does. Parameters and errors as there.
void readWrittenCode(GraphModule& module, std::string_view importBlock, std::string_view code,
                     const Progress& progress = {});

} // namespace fx
