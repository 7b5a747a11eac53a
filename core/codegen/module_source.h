// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"

#include <string>

namespace fx {

/// The model as a Python file that can be read, imported and edited: one class per GraphModule with an `__init__` that
/// makes its modules, parameters and buffers, and the generated `forward`. Weights are not in it: they are as the
/// constructors leave them until `load_state_dict`.
///
/// Modules of classes outside torch.nn cannot be made from a file; they are arguments of `__init__`. An exported
/// program takes its parameters as inputs of `forward`, as its graph does. `header` becomes a comment on top. Throws
/// Error{Refused} for what source cannot say: names of modules with dots, quantised parameters, attributes that are no
/// literals but that the graph reads.
std::string moduleSource(const GraphModule& module, std::string_view header);

} // namespace fx
