// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/worker/evaluate_all.h"

#include "core/base/visible_text.h"
#include "core/engine/calls.h"
#include "core/engine/machine.h"
#include "core/engine/tensor_store.h"

#include <c10/core/InferenceMode.h>

namespace app {

std::vector<fx::TensorPtr> evaluateAll(const fx::remote::EvaluateRequest& request, const Context& context) {
    const c10::InferenceMode inference;
    fx::engine::seed(request.seed);
    std::vector<fx::TensorPtr> out;
    fx::engine::TensorStore tensors;
    const auto model = request.model.handle == 0 ? nullptr : context.models.get(request.model);
    if (model) tensors.addModel(model);
    const auto compute = [&](std::size_t place) -> fx::engine::Value {
        if (!model) return fx::engine::evaluateExpression(request.expressions[place]);
        const fx::TensorPtr tensor =
            place < request.paths.size() ? fx::resolvePath(*model->root, request.paths[place]).tensor : nullptr;
        return tensor ? tensors.value(tensor) : fx::engine::Value();
    };
    for (const std::string& source : request.expressions) {
        context.progress.report("computing constants",
                                static_cast<double>(out.size()) / static_cast<double>(request.expressions.size()));
        context.progress.check();
        const fx::engine::Value value = compute(out.size());
        if (!value.isTensor())
            throw fx::Error(fx::ErrorKind::Run, fx::Message("worker.not_a_tensor")).quoting(fx::visibleExcerpt(source));
        out.push_back(fx::engine::toTensorRef(value.tensor()));
    }
    return out;
}

} // namespace app
