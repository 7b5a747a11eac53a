// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/remote/run_message.h"
#include "core/remote/worker_client.h"
#include "core/shapes/node_shapes.h"

namespace fx::remote {

/// A request to infer the shapes of all nodes.
struct ShapesRequest {
    RunRequest run;          ///< the model and its inputs; integer inputs need no range
    bool gradients = true;   ///< record gradients, like torch.fx's ShapeProp without no_grad
    bool mayRun = true;      ///< run the model if a shape depends on values
    bool byItself = false;   ///< for requests that no user made: calls only pure operators, on tensors without values
    bool asRecorded = false; ///< inputs as in the metadata of the placeholders; records numbers among results
};

/// Encodes the request. `local`: see `toFrame(RunRequest)`.
Frame toFrame(const ShapesRequest& request, std::uint32_t number, bool local);
/// Decodes the request. Throws Error for invalid messages.
ShapesRequest shapesRequest(const Frame& frame);
/// Encodes the result.
Frame toFrame(const NodeShapes& shapes, std::uint32_t number);
/// Decodes the result. Throws Error for invalid messages.
NodeShapes shapesResult(const Frame& frame);

/// Asks a worker for the values of a part of a graph, as `TensorEngine::partShapes` describes. Starts it if necessary.
NodeShapes partShapes(WorkerClient& worker, const GraphModule& part, bool gradients,
                      std::chrono::milliseconds limit = {}, const Progress& progress = {});

} // namespace fx::remote
