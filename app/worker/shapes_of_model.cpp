// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/worker/shapes_of_model.h"

#include "app/worker/model_inputs.h"
#include "core/engine/machine.h"
#include "core/engine/outside.h"
#include "core/engine/shapes/shapes.h"

namespace app {

fx::NodeShapes shapesOfModel(const fx::remote::ShapesRequest& request, const Context& context) {
    const std::shared_ptr<const fx::GraphModule> model = context.models.get(request.run.model);
    const fx::engine::InferenceOnly inferenceOnly(request.byItself);
    fx::engine::setThreads(request.run.threads);
    if (request.asRecorded) {
        fx::engine::RunInputs inputs;
        for (const fx::Node& node : model->graph.nodes())
            if (node.op() == fx::Op::Placeholder && node.meta().values.size() == 1)
                inputs.named.emplace_back(node.target(), fx::engine::recordedValue(node.meta().values.front()));
        return fx::engine::nodeShapes(
            model, inputs, {request.gradients, {}, [&context](const fx::Node& node) { context.checkAt(node); }, true});
    }
    const auto tensors = std::make_shared<fx::engine::TensorStore>();
    const fx::engine::Interpreter interpreter(
        model, std::make_shared<fx::engine::TensorStore>(fx::engine::TensorStore::Holds::Shapes));
    fx::remote::RunRequest run = request.run;
    for (fx::InputSpec& input : run.random) // zeros are good indices of anything
        if (input.isInteger() && input.high <= input.low) input.high = input.low + 1;
    const ModelInputs inputs = makeInputs(*model, interpreter.inputs(), run, *tensors);
    fx::engine::ShapesOptions options{
        request.gradients, {}, [&context](const fx::Node& node) { context.checkAt(node); }};
    if (request.mayRun && !request.byItself) options.values = [&inputs] { return inputs.values; };
    fx::NodeShapes shapes = fx::engine::nodeShapes(model, inputs.values, options);
    shapes.guessed = inputs.isFromLayers;
    return shapes;
}

} // namespace app
