// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/worker/run_model.h"

#include "app/worker/exported.h"
#include "app/worker/graph_for_inputs.h"
#include "app/worker/model_inputs.h"
#include "app/worker/script/script.h"
#include "core/engine/machine.h"
#include "core/engine/value_conversion.h"
#include "core/io/compile_text/missing_values.h"

#include <chrono>

namespace app {

/// Null for a TorchScript file without a graph, which LibTorch runs as it is.
static std::shared_ptr<const fx::GraphModule> modelOrNone(const fx::remote::RunRequest& request,
                                                          const Context& context) {
    try {
        return context.models.get(graphForInputs(request.model, request, context));
    } catch (const fx::Error& error) {
        if (error.message().is("script.code_on_loading") || error.message().is("script.no_graph")) return nullptr;
        throw;
    }
}

fx::remote::RunResult runModel(const fx::remote::RunRequest& request, const Context& context) {
    const std::shared_ptr<const fx::GraphModule> model = modelOrNone(request, context);
    if (!model) return runScript(request);
    fx::requireValues(*model);
    fx::engine::setThreads(request.threads);
    const auto tensors = std::make_shared<fx::engine::TensorStore>();
    fx::engine::Interpreter interpreter(model, tensors);
    const ModelInputs inputs = makeInputs(*model, interpreter.inputs(), request, *tensors);
    const auto start = std::chrono::steady_clock::now();
    const fx::engine::Value output =
        interpreter.run(inputs.values, {[&context](const fx::Node& node) { context.checkAt(node); }, {}});
    const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
    fx::Warnings warnings = fx::modeWarnings(*model, request.model.mode);
    warnings.insert(warnings.begin(), model->warnings.begin(), model->warnings.end());
    return {fx::engine::toTree(moduleOutput(*model, output, *tensors)), time.count(), inputs.guessed,
            std::move(warnings), fx::modeName(*model)};
}

} // namespace app
