// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/python/python_interpreter.h"

namespace fx::python {

/// torch.utils._pytree: rebuilds a tree of Python containers with `leaf` applied to its leaves, in order. `spec`
/// receives the TreeSpec, as an attribute value of a Module. Instances of classes derived from containers are leaves,
/// as in PyTorch.
Value mapTree(Interpreter& in, const Value& tree, const std::function<Value(const Value&)>& leaf, Argument& spec);

/// Returns the `TreeSpec(type, context, children)` of a tuple.
Argument tupleSpec(std::vector<Argument> children);
/// Returns true for the TreeSpec of a leaf.
bool isLeafSpec(const Argument& spec);

} // namespace fx::python
