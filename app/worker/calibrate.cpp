// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/worker/calibrate.h"

#include "app/worker/observer_details.h"
#include "app/worker/worker_batches.h"
#include "core/base/joined_path.h"
#include "core/engine/machine.h"
#include "core/engine/quant/observers.h"
#include "core/io/compile_text/missing_values.h"
#include "core/make/observer_spec.h"

#include <algorithm>

namespace app {
namespace {

/// Runs all batches once. `share`: where in the whole work this pass begins and ends.
std::vector<std::string> runAll(const Batches& batches, fx::engine::Interpreter& interpreter, const Context& context,
                                std::string_view what, std::pair<double, double> share) {
    std::vector<std::string> guessed;
    for (std::size_t i = 0; i < batches.size(); ++i) {
        const std::string label = batches.label(i);
        context.progress.report(std::string(what) + ", batch " + label,
                                share.first + (share.second - share.first) * static_cast<double>(i) /
                                                  static_cast<double>(batches.size()));
        context.progress.check();
        batches.run(i, [&](ModelInputs& inputs) {
            if (i == 0) guessed = inputs.guessed;
            interpreter.run(inputs.values, {[&context](const fx::Node& node) { context.checkAt(node); }, {}});
        });
    }
    return guessed;
}

void addBuffers(const fx::Module& module, const std::string& prefix, fx::engine::TensorStore& tensors,
                fx::remote::ObserverState& state) {
    for (const fx::Module::Slot& slot : module.buffers)
        if (slot.tensor)
            state.buffers.emplace_back(prefix + slot.name, fx::engine::toTensorRef(tensors.tensor(slot.tensor)));
}

/// The buffers outside of observers that the runs have changed.
void addChanged(const std::shared_ptr<const fx::GraphModule>& model, fx::engine::TensorStore& tensors,
                fx::remote::Calibration& out) {
    fx::engine::TensorStore before;
    before.addModel(model); // constants may read it
    std::string inside;     // of an observer
    fx::forEachModule(*model->root, [&](const std::string& path, const fx::Module& module) {
        if (!inside.empty() && path.starts_with(inside)) return;
        if (fx::quant::isObserver(module)) {
            inside = path + ".";
            return;
        }
        for (const fx::Module::Slot& slot : module.buffers) {
            const at::Tensor* now = slot.tensor ? tensors.used(slot.tensor) : nullptr;
            if (!now || now->is_quantized() || now->is_meta() || now->equal(before.tensor(slot.tensor))) continue;
            out.buffers.emplace_back(fx::joinedPath(path, slot.name), fx::engine::toTensorRef(*now));
        }
    });
}

} // namespace

fx::remote::Calibration calibrate(const fx::remote::CalibrateRequest& request, const Context& context) {
    const auto model = context.models.get(request.run.model);
    fx::requireValues(*model);
    fx::engine::setThreads(request.run.threads);
    const auto tensors = std::make_shared<fx::engine::TensorStore>();
    fx::engine::Interpreter interpreter(model, tensors);
    const Batches batches(request.run, request.draws, interpreter);
    fx::remote::Calibration out;
    std::vector<const fx::Module*> observers;
    std::string inside; // of a FakeQuantize: its observer belongs to it
    fx::forEachModule(*model->root, [&](const std::string& path, const fx::Module& module) {
        if (!fx::quant::isObserver(module) || (!inside.empty() && path.starts_with(inside))) return;
        inside = path + ".";
        observers.push_back(&module);
        out.observers.emplace_back().path = path;
    });
    out.guessed = runAll(batches, interpreter, context, "calibrating", {0, request.details ? 0.5 : 1});
    out.batches = batches.size();
    const bool takesAny = !interpreter.inputs().empty();
    if (takesAny && !observers.empty() && !batches.hadElements()) // torch.ao makes a model of scales that are all 1
        throw fx::Error(fx::ErrorKind::Refused, fx::Message("quant.no_elements"));
    for (std::size_t i = 0; i < observers.size(); ++i) {
        addBuffers(*observers[i], "", *tensors, out.observers[i]);
        for (const fx::Module::Child& child : observers[i]->children)
            if (child.module) addBuffers(*child.module, child.name + ".", *tensors, out.observers[i]);
    }
    addChanged(model, *tensors, out);
    if (!request.details) return out;
    ObserverDetails details(observers, *tensors, out.observers);
    runAll(batches, interpreter, context, "measuring", {0.5, 1});
    return out;
}

} // namespace app
