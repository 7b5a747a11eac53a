// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/worker/batches.h"

#include "core/engine/calls.h"
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

void refuseNaN(const Value& value, const std::string& name) {
    if (!value.isTensor() || !at::isFloatingType(value.tensor().scalar_type())) return;
    if (fx::engine::truthOf(fx::engine::callMethod("any", {fx::engine::callFunction("torch.isnan", {value})})))
        throw fx::Error(fx::ErrorKind::Run, fx::Message("quant.nan_in_batch", {{"input", name}}));
}

} // namespace

Batches::Batches(const fx::remote::RunRequest& run, std::size_t draws, const fx::engine::Interpreter& interpreter)
    : m_run(run), m_draws(draws), m_interpreter(interpreter) {
    if (run.inputs) m_given = &run.inputs->items;
    else m_guesses = guessesFor(interpreter.model(), interpreter.inputs(), run);
    if (size() == 0) throw fx::Error(fx::ErrorKind::Usage, fx::Message("inputs.no_batches"));
}

ModelInputs Batches::inputs(std::size_t number, fx::engine::TensorStore& tensors) const {
    fx::remote::RunRequest run = m_run;
    run.seed += number;
    if (m_given) run.inputs = byName((*m_given)[number]);
    ModelInputs out = makeInputs(m_interpreter.model(), m_interpreter.inputs(), run, m_guesses, tensors);
    check(out.values);
    return out;
}

fx::ValueTree Batches::byName(const fx::ValueTree& batch) const {
    if (batch.items.size() == 1 && isDictByName(batch.items[0], m_interpreter.model(), m_interpreter.inputs()))
        return batch.items[0];
    return batch;
}

bool Batches::isObserved(fx::NodeId placeholder) const {
    const fx::GraphModule& model = m_interpreter.model();
    const auto& users = model.graph.node(placeholder).users();
    return std::any_of(users.begin(), users.end(), [&](fx::NodeId user) {
        const fx::Node& node = model.graph.node(user);
        const fx::Module* module =
            node.op() == fx::Op::CallModule ? fx::resolvePath(*model.root, node.target()).module : nullptr;
        return module && fx::quant::isObserver(*module);
    });
}

/// An observer takes tensors only; the error for any other batch names the input instead of the observer.
void Batches::requireTensor(fx::NodeId placeholder, const Value& value) const {
    if (value.isTensor() || !isObserved(placeholder)) return;
    const std::string& name = m_interpreter.model().graph.node(placeholder).target();
    throw fx::Error(fx::ErrorKind::Usage,
                    fx::Message("quant.input_kind", {{"input", name}, {"got", fx::engine::typeText(value)}}));
}

void Batches::check(const fx::engine::RunInputs& inputs) const {
    const auto& placeholders = m_interpreter.inputs();
    for (std::size_t i = 0; i < std::min(inputs.positional.size(), placeholders.size()); ++i)
        requireTensor(placeholders[i], inputs.positional[i]);
    for (std::size_t i = 0; i < inputs.positional.size(); ++i)
        refuseNaN(inputs.positional[i],
                  i < placeholders.size() ? m_interpreter.model().graph.node(placeholders[i]).target() : std::string());
    for (const auto& [name, value] : inputs.named) refuseNaN(value, name);
}

} // namespace app
