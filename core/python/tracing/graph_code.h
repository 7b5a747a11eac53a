// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/codegen/python_code.h"
#include "core/python/python_interpreter.h"

namespace fx::python {

/// Returns the `forward` in a graph's code, which a GraphModule calls. Records calls of unknown functions by name.
Function* forwardOf(Interpreter& in, const PythonCode& code);

/// Creates objects for all GraphModules of a tree, with that `forward`. `graph` belongs to the root. Returns the root.
Instance* graphModules(Interpreter& in, const std::shared_ptr<Module>& root, const Graph& graph);

} // namespace fx::python
