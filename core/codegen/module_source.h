// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"

#include <string>

namespace fx {

/// Writes the model as a Python file that can be read, imported and edited. Each GraphModule becomes a class with an
/// `__init__`, which creates its modules, parameters and buffers, and the generated `forward`. Weights are not
/// included; load them with `load_state_dict`.
///
/// Modules of classes outside of torch.nn cannot be created and become arguments of `__init__`. An exported program
/// takes its parameters as inputs of `forward`, as its graph does. `header` becomes a comment at the top. Throws
/// Error{Refused} for models that source cannot express: module names with dots, quantised parameters, and attributes
/// that the graph reads and that are not literals.
std::string moduleSource(const GraphModule& module, std::string_view header);

} // namespace fx
