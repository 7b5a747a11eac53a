// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "app/worker/context.h"
#include "core/remote/shapes_message.h"

namespace app {

/// Opens the model and infers the shapes of its nodes. Throws fx::Error if not even the inputs can be created.
fx::NodeShapes shapesOfModel(const fx::remote::ShapesRequest& request, const Context& context);

} // namespace app
