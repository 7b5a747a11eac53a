// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/codegen/python_code.h"
#include "core/module/graph_module.h"

namespace fx {

/// `GraphModule.code`: as `generatePython(module.graph)`, with the pytree form of the module if it has one and its
/// inputs are still those of the form.
PythonCode generatePython(const GraphModule& module);

/// Whether the code takes the inputs from a pytree.
bool hasNestedInputs(const GraphModule& module);

} // namespace fx
