// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/codegen/python_code.h"
#include "core/module/graph_module.h"

namespace fx {

/// Generates `GraphModule.code`: `generatePython(module.graph)` in the pytree form of the module, if it has one and its
/// inputs still match the form.
PythonCode generatePython(const GraphModule& module);

/// Returns true if the code takes its inputs from a pytree.
bool hasNestedInputs(const GraphModule& module);

} // namespace fx
