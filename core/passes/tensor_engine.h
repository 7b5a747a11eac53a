// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"
#include "core/shapes/node_shapes.h"

namespace fx {

/// What passes ask of a program that can compute tensors: the worker, seen from a program that cannot.
class TensorEngine {
public:
    virtual ~TensorEngine() = default;
    /// Shapes of all nodes for the inputs that the user gave or that are guessed. Throws Error{Run, Usage, Cancelled}.
    virtual NodeShapes shapes(const GraphModule& model) = 0;
};

} // namespace fx
