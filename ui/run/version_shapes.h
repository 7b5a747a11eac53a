// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/inputs/input_spec.h"
#include "core/shapes/node_shapes.h"
#include "ui/run/worker_service.h"

namespace ui {

/// The code that may run to infer shapes.
enum class ShapeRuns {
    Nothing,  ///< pure operators on tensors without values: for shapes that nobody asked for
    Inferred, ///< also TorchScript and small constants
    Model     ///< also the model with values, if necessary
};

/// Infers the shapes of a version in the worker. Reads inputs from files. Throws fx::Error.
fx::NodeShapes shapesOfVersion(const WorkerCall& call, const std::shared_ptr<const fx::GraphModule>& version,
                               const fx::InputDescription& inputs, ShapeRuns runs);

} // namespace ui
