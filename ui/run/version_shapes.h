// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/inputs/input_spec.h"
#include "core/shapes/node_shapes.h"
#include "ui/run/worker_service.h"

namespace ui {

/// Infers the shapes of a version in the worker; `mayRun`: also by running it with values, where that is needed.
/// Throws fx::Error.
fx::NodeShapes shapesOfVersion(const WorkerCall& call, const std::shared_ptr<const fx::GraphModule>& version,
                               const fx::InputDescription& inputs, bool mayRun);

} // namespace ui
