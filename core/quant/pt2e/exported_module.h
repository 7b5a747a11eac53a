// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"

namespace fx::quant::pt2e {

/// The graph of `ExportedProgram.module()`, which torchao quantises: parameters, buffers and constants are get_attr
/// nodes, inputs and outputs are flat, what the program updates is written back by `copy_`, and `_guards_fn` is called
/// on the inputs. Names are PyTorch's. Other models are returned as they are.
///
/// Unlike `unlifted`, whose inputs are nested as when the program was exported. Throws Error{Refused} for inputs that
/// only an exported program has (tokens, custom objects). O(nodes).
GraphModule exportedModule(const GraphModule& program);

/// The name of the module that checks sizes of inputs; it has no result.
inline constexpr const char* kGuards = "_guards_fn";

} // namespace fx::quant::pt2e
