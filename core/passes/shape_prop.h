// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/passes/pass.h"
#include "core/shapes/node_shapes.h"

namespace fx {

/// torch.fx's ShapeProp: records shape, dtype, strides and requires_grad of every value in the metadata of its node
/// (`tensor_meta`). Needs an engine. Throws Error{Run} for the first failing node, with its input shapes and the likely
/// cause.
Pass shapePropPass();

/// The error for a shape failure: both shapes, their origins, and the likely cause. Error{Run}.
Error shapeError(const ShapeFailure& failure);

} // namespace fx
