// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/remote/message.h"
#include "core/shapes/node_shapes.h"

namespace fx::remote {

/// A request for the shapes of all nodes.
struct ShapesRequest {
    RunRequest run;        ///< the model and its inputs; integers need no range
    bool gradients = true; ///< as torch.fx's ShapeProp without no_grad
    bool mayRun = true;    ///< run the model if a shape depends on values
};

Frame toFrame(const ShapesRequest& request, std::uint32_t number, bool local);
ShapesRequest shapesRequest(const Frame& frame);
Frame toFrame(const NodeShapes& shapes, std::uint32_t number);
NodeShapes shapesResult(const Frame& frame);

} // namespace fx::remote
