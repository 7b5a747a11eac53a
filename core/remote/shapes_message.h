// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/remote/message.h"
#include "core/shapes/node_shapes.h"

namespace fx::remote {

/// Find out the shapes of all nodes.
struct ShapesRequest {
    RunRequest run;        ///< the model and its inputs; integers need no range
    bool gradients = true; ///< as torch.fx's ShapeProp does without no_grad
    bool mayRun = true;    ///< where only values decide a shape, run the model
};

Frame toFrame(const ShapesRequest& request, std::uint32_t number, bool local);
ShapesRequest shapesRequest(const Frame& frame);
Frame toFrame(const NodeShapes& shapes, std::uint32_t number);
NodeShapes shapesResult(const Frame& frame);

} // namespace fx::remote
