// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"

namespace fx::python {
class Interpreter;

/// Keeps hooks of modules, which PyTorch runs and saves but a graph does not contain. Stores the hooks of weight_norm
/// and spectral_norm as the attribute `_forward_pre_hooks`, which is saved: by key a tuple of class and fields. Adds a
/// warning that names modules with other hooks.
void keepHooks(Interpreter& in, GraphModule& made);

} // namespace fx::python
