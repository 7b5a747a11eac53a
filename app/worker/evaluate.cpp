// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/worker/evaluate.h"

#include "core/engine/calls.h"
#include "core/engine/machine.h"
#include "core/engine/tensor_store.h"

#include <c10/core/InferenceMode.h>

namespace app {

std::vector<fx::TensorPtr> evaluateAll(const fx::remote::EvaluateRequest& request, const Context& context) {
    const c10::InferenceMode inference;
    fx::engine::seed(request.seed);
    std::vector<fx::TensorPtr> out;
    for (const std::string& source : request.expressions) {
        context.progress.report("computing constants", static_cast<double>(out.size()) / static_cast<double>(request.expressions.size()));
        context.progress.check();
        const fx::engine::Value value = fx::engine::evaluateExpression(source);
        if (!value.isTensor()) throw fx::Error(fx::ErrorKind::Run, "an expression of the model gives no tensor").quoting(source);
        out.push_back(fx::engine::toTensorRef(value.tensor()));
    }
    return out;
}

} // namespace app
