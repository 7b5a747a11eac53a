// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/passes/pass.h"
#include "core/shapes/node_shapes.h"

namespace fx {

/// Records shape, dtype, strides and requires_grad of each value in the metadata of its node (`tensor_meta`). Mirrors
/// torch.fx's ShapeProp. Needs an engine. Throws Error{Run} for the first failing node, with its input shapes and the
/// likely cause.
Pass shapePropPass();

/// Returns Error{Run} for a shape failure, with both shapes, their origins, and the likely cause.
Error shapeError(const ShapeFailure& failure);

} // namespace fx
