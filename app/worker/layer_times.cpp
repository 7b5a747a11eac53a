// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/worker/layer_times.h"

#include "app/worker/model_inputs.h"
#include "core/engine/machine.h"
#include "core/engine/onednn/time_layers.h"
#include "core/timing/operator_profile.h"

namespace app {

std::vector<fx::onednn::LayerTimes> layerTimes(const fx::remote::RunRequest& request, const Context& context) {
    const std::shared_ptr<const fx::GraphModule> model = context.models.get(request.model);
    fx::engine::setThreads(request.threads);
    const auto tensors = std::make_shared<fx::engine::TensorStore>();
    const fx::engine::Interpreter interpreter(model, tensors);
    const ModelInputs inputs = makeInputs(*model, interpreter.inputs(), request, *tensors);
    return fx::engine::timeLayers(model, tensors, inputs.values, fx::timing::cacheFolder(), context.progress);
}

} // namespace app
