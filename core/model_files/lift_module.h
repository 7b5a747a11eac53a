// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"

namespace fx {

/// Converts a module back to the form of the exported `program` from which it was made (by ExportedProgram.module(),
/// then edited, with flat inputs and outputs). Attributes become inputs, copies into inputs and buffers become outputs,
/// and `_guards_fn`, the check of inputs, is removed because the program checks them itself. The result has `program`'s
/// signature and can be saved as .pt2; it lacks attributes that the graph does not read. Throws Error{Refused} if
/// inputs or outputs do not fit the signature. O(nodes).
GraphModule liftedAs(const GraphModule& module, const GraphModule& program);

} // namespace fx
