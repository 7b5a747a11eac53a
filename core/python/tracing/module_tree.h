// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"

namespace fx::python {

class Interpreter;

/// Whether a module is below itself: Python's own walks over the tree do not end.
bool holdsItself(const Module& root);
/// Warns of names of leaf classes (`in.leafTypes`) that no module below `root` has, with the nearest that one has.
void warnOfUnknownLeafs(Interpreter& in, const Module& root, Warnings& warnings);
/// Warns of tensors of the module that forward wrote to while it was traced (`written`): PyTorch keeps what was
/// written.
void warnOfWrites(const std::vector<TensorPtr>& written, const Module& root, Warnings& warnings);

} // namespace fx::python
