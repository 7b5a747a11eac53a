// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/python/interpreter.h"

namespace fx::python {

/// torch.utils._pytree: a tree of Python's containers with what `leaf` makes of its leaves, in their order. `spec` gets
/// its TreeSpec as an attribute of a Module. What derives from a container is a leaf, as it is to PyTorch.
Value mapTree(Interpreter& in, const Value& tree, const std::function<Value(const Value&)>& leaf, Argument& spec);

/// `TreeSpec(type, context, children)` of a tuple.
Argument tupleSpec(std::vector<Argument> children);
bool isLeafSpec(const Argument& spec);

} // namespace fx::python
