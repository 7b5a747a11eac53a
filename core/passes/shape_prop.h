// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/passes/pass.h"
#include "core/shapes/node_shapes.h"

namespace fx {

/// torch.fx's ShapeProp: notes shape, dtype, strides and need of gradients of every value as the metadata of its node
/// (`tensor_meta`). Needs an engine. Throws Error{Run} for the first node that fails, with what it was given and who is
/// to blame.
Pass shapePropPass();

/// What a failure says to a user: both shapes, where they come from, and the node to look at. Error{Run}.
Error shapeError(const ShapeFailure& failure);

} // namespace fx
