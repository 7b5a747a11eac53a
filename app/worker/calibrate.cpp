// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/worker/calibrate.h"

#include "app/worker/model_inputs.h"
#include "app/worker/observer_details.h"
#include "core/engine/calls.h"
#include "core/engine/machine.h"
#include "core/engine/quant/observers.h"
#include "core/io/compile_text/missing_values.h"
#include "core/quant/observer_spec.h"

#include <algorithm>

namespace app {
namespace {

using fx::engine::Value;

bool isDictByName(const fx::ValueTree& tree, const fx::GraphModule& model, const std::vector<fx::NodeId>& inputs) {
    if (tree.kind != fx::ValueTree::Kind::Dict) return false;
    for (std::size_t i = 0; i < tree.items.size(); i += 2) {
        const auto* name = tree.items[i].plain.as<std::string>();
        const bool isKnown = name && std::any_of(inputs.begin(), inputs.end(), [&](fx::NodeId id) {
                                 return model.graph.node(id).target() == *name || model.graph.node(id).name() == *name;
                             });
        if (!isKnown) return false;
    }
    return true;
}

/// Batches by number: given ones, or drawn ones.
class Batches {
public:
    Batches(const fx::remote::CalibrateRequest& request, const fx::engine::Interpreter& interpreter)
        : m_request(request), m_interpreter(interpreter) {
        if (request.run.inputs) m_given = &request.run.inputs->items;
        if (size() == 0) throw fx::Error(fx::ErrorKind::Usage, fx::Message("inputs.no_batches"));
    }
    std::size_t size() const { return m_given ? m_given->size() : m_request.draws; }

    /// The inputs of a batch; `tensors` keeps them for this call only.
    ModelInputs inputs(std::size_t number, fx::engine::TensorStore& tensors) const {
        fx::remote::RunRequest run = m_request.run;
        run.seed += number;
        if (m_given) run.inputs = byName((*m_given)[number]);
        ModelInputs out = makeInputs(m_interpreter.model(), m_interpreter.inputs(), run, tensors);
        const auto check = [&](const Value& value, const std::string& name) {
            if (!value.isTensor() || !at::isFloatingType(value.tensor().scalar_type())) return;
            if (fx::engine::truthOf(fx::engine::callMethod("any", {fx::engine::callFunction("torch.isnan", {value})})))
                throw fx::Error(fx::ErrorKind::Run, fx::Message("quant.nan_in_batch", {{"input", name}}));
        };
        const auto& placeholders = m_interpreter.inputs();
        for (std::size_t i = 0; i < out.values.positional.size(); ++i)
            check(out.values.positional[i],
                  i < placeholders.size() ? m_interpreter.model().graph.node(placeholders[i]).target() : std::string());
        for (const auto& [name, value] : out.values.named) check(value, name);
        return out;
    }

private:
    fx::ValueTree byName(const fx::ValueTree& batch) const {
        if (batch.items.size() == 1 && isDictByName(batch.items[0], m_interpreter.model(), m_interpreter.inputs()))
            return batch.items[0];
        return batch;
    }
    const fx::remote::CalibrateRequest& m_request;
    const fx::engine::Interpreter& m_interpreter;
    const std::vector<fx::ValueTree>* m_given = nullptr;
};

/// Runs all batches once. `share`: where in the whole work this pass begins and ends.
std::vector<std::string> runAll(const Batches& batches, fx::engine::Interpreter& interpreter, const Context& context,
                                std::string_view what, std::pair<double, double> share) {
    std::vector<std::string> guessed;
    for (std::size_t i = 0; i < batches.size(); ++i) {
        const std::string label = std::to_string(i + 1) + " of " + std::to_string(batches.size());
        context.progress.report(std::string(what) + ", batch " + label,
                                share.first + (share.second - share.first) * static_cast<double>(i) /
                                                  static_cast<double>(batches.size()));
        context.progress.check();
        try {
            fx::engine::TensorStore tensors;
            ModelInputs inputs = batches.inputs(i, tensors);
            if (i == 0) guessed = inputs.guessed;
            interpreter.run(inputs.values, {[&context](const fx::Node& node) { context.checkAt(node); }, {}});
        } catch (fx::Error& error) {
            if (error.kind() != fx::ErrorKind::Cancelled && error.where.empty()) error.where = "batch " + label;
            throw;
        }
    }
    return guessed;
}

void addBuffers(const fx::Module& module, const std::string& prefix, fx::engine::TensorStore& tensors,
                fx::remote::ObserverState& state) {
    for (const fx::Module::Slot& slot : module.buffers)
        if (slot.tensor)
            state.buffers.emplace_back(prefix + slot.name, fx::engine::toTensorRef(tensors.tensor(slot.tensor)));
}

} // namespace

fx::remote::Calibration calibrate(const fx::remote::CalibrateRequest& request, const Context& context) {
    const auto model = context.models.get(request.run.model);
    fx::requireValues(*model);
    fx::engine::setThreads(request.run.threads);
    const auto tensors = std::make_shared<fx::engine::TensorStore>();
    fx::engine::Interpreter interpreter(model, tensors);
    const Batches batches(request, interpreter);
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
    for (std::size_t i = 0; i < observers.size(); ++i) {
        addBuffers(*observers[i], "", *tensors, out.observers[i]);
        for (const fx::Module::Child& child : observers[i]->children)
            if (child.module) addBuffers(*child.module, child.name + ".", *tensors, out.observers[i]);
    }
    if (!request.details) return out;
    ObserverDetails details(observers, *tensors, out.observers);
    runAll(batches, interpreter, context, "measuring", {0.5, 1});
    return out;
}

} // namespace app
