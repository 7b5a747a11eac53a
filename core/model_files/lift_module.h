// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"

namespace fx {

/// The exported program of a module that was made from `program` (ExportedProgram.module() and then changed, with flat
/// inputs and outputs): attributes become inputs again, copies into inputs and buffers become outputs, and the check of
/// inputs (`_guards_fn`) goes, which the program has by itself. The result has `program`'s signature and can be saved
/// as .pt2; attributes that the graph does not read are not in it. Throws Error{Refused} if inputs or outputs do not
/// fit the signature. O(nodes).
GraphModule liftedAs(const GraphModule& module, const GraphModule& program);

} // namespace fx
