// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/worker/measure_layers.h"

#include "app/worker/model_inputs.h"
#include "core/engine/machine.h"
#include "core/engine/onednn/time_layers.h"

namespace app {

fx::remote::LayerTimesResult layerTimes(const fx::remote::LayerTimesRequest& request, const Context& context) {
    const std::shared_ptr<const fx::GraphModule> model = context.models.get(request.run.model);
    fx::engine::setThreads(request.run.threads);
    const auto tensors = std::make_shared<fx::engine::TensorStore>();
    const fx::engine::Interpreter interpreter(model, tensors);
    const ModelInputs inputs = makeInputs(*model, interpreter.inputs(), request.run, *tensors);
    fx::remote::LayerTimesResult out;
    out.layers = fx::engine::timeLayers(model, tensors, inputs.values, request.memory, out.memory, context.progress);
    return out;
}

} // namespace app
