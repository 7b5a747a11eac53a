// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"

#include <string_view>

namespace fx {

/// Rebuilds the graph of a saved GraphModule from its source, as `torch.load` does: the code is traced on proxies with
/// every submodule as a leaf, so that names, normalised arguments and folded sizes equal those in Python.
///
/// `module.root` is complete (children, parameters, buffers, attributes such as `_in_spec`); `module.graph` is filled.
/// Constants that the code computes on loading become `_tensor_constantN` attributes of the root with an expression.
/// Appends to `module.warnings`; sets `notLoadable` if Python itself would fail, and keeps the code as written.
/// `importBlock`: the import lines saved with the code. Throws Error{File} with line and reason for unsupported code.
void retraceSavedCode(GraphModule& module, std::string_view importBlock, std::string_view code);

} // namespace fx
