// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"

namespace fx::quant::pt2e {

/// Returns the graph of `ExportedProgram.module()`, the input of torchao's quantisation. Parameters, buffers and
/// constants are get_attr nodes, inputs and outputs are flat, `copy_` writes back updated values, and `_guards_fn` is
/// called with the inputs. Names are PyTorch's. Returns other models unchanged.
///
/// In contrast to `unlifted`, inputs do not have the nesting of the export. Throws Error{Refused} for inputs that only
/// an exported program has (tokens, custom objects). O(nodes).
GraphModule exportedModule(const GraphModule& program);

/// The name of the module that checks the sizes of inputs; it returns nothing.
inline constexpr const char* kGuards = "_guards_fn";

} // namespace fx::quant::pt2e
