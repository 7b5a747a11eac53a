// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "app/worker/context.h"
#include "core/remote/layer_times_message.h"

namespace app {

/// Implements the verb "layer_times": times the fused layers of a model.
fx::remote::LayerTimesResult layerTimes(const fx::remote::LayerTimesRequest& request, const Context& context);

} // namespace app
