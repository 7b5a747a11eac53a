// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/codegen/python_code.h"
#include "core/python/interpreter.h"

namespace fx::python {

/// The `forward` of a graph's code: what a GraphModule calls. Functions of it that are not
/// known are recorded by name.
Function* forwardOf(Interpreter& in, const PythonCode& code);

/// The GraphModules of a tree as objects with that `forward`, the root among them, whose graph is given.
Instance* graphModules(Interpreter& in, const std::shared_ptr<Module>& root, const Graph& graph);

} // namespace fx::python
