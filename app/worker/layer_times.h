// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "app/worker/context.h"
#include "core/onednn/layer_times.h"
#include "core/remote/message.h"

namespace app {

/// The verb "layer_times": measures the fused layers of a model.
std::vector<fx::onednn::LayerTimes> layerTimes(const fx::remote::RunRequest& request, const Context& context);

} // namespace app
