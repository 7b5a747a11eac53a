// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "app/worker/context.h"
#include "core/remote/layer_error_message.h"

namespace app {

/// Runs both models on the same batches and compares their layers. Throws fx::Error with the batch in `where`.
fx::remote::LayerErrors layerErrors(const fx::remote::LayerErrorsRequest& request, const Context& context);

} // namespace app
