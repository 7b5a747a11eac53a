// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"

namespace fx::python {
class Interpreter;

/// PyTorch runs and saves the hooks of modules that a graph calls; the graph itself does not have them. The hooks of
/// weight_norm and spectral_norm are kept as the attribute `_forward_pre_hooks`, which saving writes: by key a tuple
/// of class and fields. A warning names modules with others.
void keepHooks(Interpreter& in, GraphModule& made);

} // namespace fx::python
