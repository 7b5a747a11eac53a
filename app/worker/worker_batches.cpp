// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/worker/worker_batches.h"

#include "core/base/listed.h"
#include "core/engine/calls.h"
#include "core/make/observer_spec.h"

#include <algorithm>
#include <optional>

namespace app {
namespace {

using fx::engine::Value;
constexpr std::size_t kShownUsers = 3;

/// How many keys of a dict are names of inputs.
enum class NamesKnown { None, Some, All };

NamesKnown knownNames(const fx::ValueTree& dict, const fx::GraphModule& model, const std::vector<fx::NodeId>& inputs) {
    std::size_t known = 0;
    for (std::size_t i = 0; i < dict.items.size(); i += 2) {
        const auto* name = dict.items[i].plain.as<std::string>();
        const bool isKnown = name && std::any_of(inputs.begin(), inputs.end(), [&](fx::NodeId id) {
                                 return model.graph.node(id).target() == *name || model.graph.node(id).name() == *name;
                             });
        known += isKnown ? 1 : 0;
    }
    if (known == dict.items.size() / 2) return NamesKnown::All;
    return known == 0 ? NamesKnown::None : NamesKnown::Some;
}

void refuseNaN(const Value& value, const std::string& name) {
    if (!value.isTensor() || !at::isFloatingType(value.tensor().scalar_type())) return;
    if (fx::engine::truthOf(fx::engine::callMethod("any", {fx::engine::callFunction("torch.isnan", {value})})))
        throw fx::Error(fx::ErrorKind::Run, fx::Message("quant.nan_in_batch", {{"input", name}}));
}

/// The type that all weights in floating point have.
std::optional<at::ScalarType> weightType(const fx::GraphModule& model) {
    std::optional<at::ScalarType> type;
    bool isOne = true;
    fx::forEachModule(*model.root, [&](const std::string&, const fx::Module& module) {
        for (const fx::Module::Slot& slot : module.parameters) {
            const auto found = slot.tensor ? fx::engine::scalarType(fx::dtypeName(slot.tensor->dtype)) : std::nullopt;
            if (!found || !at::isFloatingType(*found)) continue;
            isOne = isOne && type.value_or(*found) == *found;
            type = found;
        }
    });
    return isOne ? type : std::nullopt;
}

bool isFinite(const at::Tensor& tensor) {
    if (!at::isFloatingType(tensor.scalar_type())) return true;
    const Value finite = fx::engine::callFunction("torch.isfinite", {tensor});
    return fx::engine::truthOf(fx::engine::callMethod("all", {finite}));
}

/// The first module with a weight that holds NaN or infinity, or nothing.
std::string moduleWithoutNumbers(const fx::GraphModule& model) {
    fx::engine::TensorStore tensors;
    std::string found;
    fx::forEachModule(*model.root, [&](const std::string& path, const fx::Module& module) {
        for (const fx::Module::Slot& slot : module.parameters)
            if (found.empty() && slot.tensor && !isFinite(tensors.tensor(slot.tensor)))
                found = path.empty() ? "the model" : path;
    });
    return found;
}

/// "torch.float32[2, 3]"
std::string described(const at::Tensor& tensor) {
    std::string text(fx::engine::scalarTypeName(tensor.scalar_type()));
    text += '[';
    for (const std::int64_t size : tensor.sizes()) text += (text.back() == '[' ? "" : ", ") + std::to_string(size);
    return text + ']';
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
    if (batch.items.size() != 1 || batch.items[0].kind != fx::ValueTree::Kind::Dict) return batch;
    const std::vector<fx::NodeId>& inputs = m_interpreter.inputs();
    const NamesKnown known = knownNames(batch.items[0], m_interpreter.model(), inputs);
    // Unknown names are refused where the dict cannot be the value of the first input.
    const bool isNoValue = known == NamesKnown::Some && inputs.size() > 1;
    const bool takesTensor = !inputs.empty() && isObserved(inputs[0]);
    return known == NamesKnown::All || isNoValue || takesTensor ? batch.items[0] : batch;
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

void Batches::run(std::size_t number, const std::function<void(ModelInputs& inputs)>& action) const {
    fx::engine::TensorStore tensors;
    ModelInputs drawn;
    try {
        drawn = inputs(number, tensors);
        for (const Given& given : tensorsOf(drawn.values)) m_hadElements = m_hadElements || given.tensor.numel() > 0;
        action(drawn);
    } catch (fx::Error& error) {
        explain(error, number, drawn.values);
        throw;
    }
}

void Batches::explain(fx::Error& error, std::size_t number, const fx::engine::RunInputs& inputs) const {
    if (error.kind() == fx::ErrorKind::Cancelled) return;
    if (error.where.empty()) error.where = "batch " + label(number);
    if (error.kind() != fx::ErrorKind::Run) return;
    const std::vector<Given> tensors = tensorsOf(inputs);
    if (tensors.empty()) return; // refused before the run
    if (explainNoTensor(error)) return;
    const std::string known = remedy(tensors);
    if (!known.empty()) error.hinting(known);
    else if (error.hint.empty())
        error.hinting(fx::Message("quant.batch_shapes", {{"inputs", shapesOf(tensors)}}).text());
}

/// An observer of a value that is no tensor in any batch, such as a number that the model takes by default.
bool Batches::explainNoTensor(fx::Error& error) const {
    const fx::GraphModule& model = m_interpreter.model();
    const fx::NodeId id = model.graph.find(error.node);
    if (id == fx::kNoNode || error.message().argument("exception") != "AttributeError") return false;
    const fx::Node& node = model.graph.node(id);
    const fx::Module* module =
        node.op() == fx::Op::CallModule ? fx::resolvePath(*model.root, node.target()).module : nullptr;
    if (!module || !fx::quant::isObserver(*module) || node.inputs().empty()) return false;
    std::vector<std::string> users;
    for (const fx::NodeId user : node.users()) users.push_back("'" + model.graph.node(user).name() + "'");
    const std::string value = model.graph.node(node.inputs().front()).name();
    error.hinting(
        fx::Message("quant.observed_no_tensor", {{"value", value}, {"users", fx::listed(users, kShownUsers)}}).text());
    return true;
}

std::vector<Batches::Given> Batches::tensorsOf(const fx::engine::RunInputs& inputs) const {
    std::vector<Given> out;
    const auto add = [&](fx::NodeId placeholder, const Value& value) {
        if (!value.isTensor() || value.tensor().is_quantized()) return;
        const std::string& name = m_interpreter.model().graph.node(placeholder).target();
        out.push_back({name, value.tensor(), isObserved(placeholder)});
    };
    const auto& placeholders = m_interpreter.inputs();
    for (std::size_t i = 0; i < std::min(inputs.positional.size(), placeholders.size()); ++i)
        add(placeholders[i], inputs.positional[i]);
    for (const auto& [name, value] : inputs.named)
        for (const fx::NodeId id : placeholders)
            if (m_interpreter.model().graph.node(id).target() == name) add(id, value);
    return out;
}

/// What would help, as far as the types and values of a batch and of the weights tell.
std::string Batches::remedy(const std::vector<Given>& tensors) const {
    const auto weights = weightType(m_interpreter.model());
    for (const Given& given : tensors) {
        const at::ScalarType type = given.tensor.scalar_type();
        if (!weights || type == *weights || !(at::isFloatingType(type) || given.isObserved)) continue;
        const std::string got(fx::engine::scalarTypeName(type)), wanted(fx::engine::scalarTypeName(*weights));
        if (*weights == at::kFloat)
            return fx::Message("quant.batch_dtype", {{"input", given.name}, {"got", got}, {"weights", wanted}}).text();
        return fx::Message("quant.model_dtype", {{"input", given.name}, {"got", got}, {"weights", wanted}}).text();
    }
    for (const Given& given : tensors)
        if (!isFinite(given.tensor)) return fx::Message("quant.batch_infinite", {{"input", given.name}}).text();
    const std::string damaged = moduleWithoutNumbers(m_interpreter.model());
    return damaged.empty() ? std::string() : fx::Message("quant.weight_values", {{"module", damaged}}).text();
}

std::string Batches::shapesOf(const std::vector<Given>& tensors) {
    std::string out;
    for (const Given& given : tensors) out += (out.empty() ? "" : ", ") + given.name + " " + described(given.tensor);
    return out;
}

} // namespace app
