// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"

namespace fx::python {

class Interpreter;

/// Returns true if Python's own recursion over the tree would raise a RecursionError: a module contains itself, or the
/// tree has more than 900 levels.
bool isEndless(const Module& root);
/// Releases a module, and submodules that nothing else holds, without recursion.
void letGo(std::shared_ptr<Module> root);
/// Warns about leaf classes (`in.leafTypes`) that no module below `root` has, with the nearest class found there.
void warnOfUnknownLeafs(Interpreter& in, const Module& root, Warnings& warnings);
/// Warns about tensors of the module that `forward` wrote to during the trace (`written`): PyTorch keeps the new
/// values.
void warnOfWrites(const std::vector<TensorPtr>& written, const Module& root, Warnings& warnings);

} // namespace fx::python
