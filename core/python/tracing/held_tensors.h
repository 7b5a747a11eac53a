// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/tensor/tensor_ref.h"

#include <vector>

namespace fx::python {
class Interpreter;

/// Returns the tensors that a trace may read outside of parameters and buffers: those that names of files, classes,
/// closures and attributes of modules lead to, also inside of containers. Each once, in a fixed order. Linear in the
/// objects that are reached.
std::vector<TensorPtr> heldTensors(Interpreter& in);

} // namespace fx::python
