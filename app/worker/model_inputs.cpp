// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/worker/model_inputs.h"

#include "app/worker/exported.h"
#include "app/worker/input_guards.h"
#include "core/engine/draw.h"
#include "core/engine/machine.h"
#include "core/engine/shapes/shapes.h"
#include "core/engine/value_conversion.h"
#include "core/inputs/fitting_guesses.h"

#include <algorithm>
#include <unordered_map>

namespace app {

bool isFor(const fx::InputSpec& input, const fx::Node& placeholder) {
    return input.name == placeholder.target() || input.name == placeholder.name();
}

namespace {

using fx::InputGuess;
using fx::InputSpec;

fx::Error usage(const fx::Message& what) { return fx::Error(fx::ErrorKind::Usage, what); }

/// A number that an export has fixed: it is taken and not used.
bool isFixed(const fx::GraphModule& model, fx::NodeId id) {
    return std::any_of(model.lifted.begin(), model.lifted.end(), [id](const fx::LiftedInput& input) {
        return input.node == id && input.kind == fx::LiftedInput::Kind::ConstantInput;
    });
}

std::string joined(const fx::GraphModule& model, const std::vector<fx::NodeId>& nodes) {
    std::string text;
    for (const fx::NodeId id : nodes) text += (text.empty() ? "" : ", ") + model.graph.node(id).target();
    return text;
}

/// The input as the value of --input: "x=1x3x224x224:float32".
std::string optionText(const InputSpec& input) {
    std::string text = input.name + "=";
    if (input.generator == fx::Generator::Constant && input.sizes.empty())
        return text + (input.dtype == "bool" ? input.value != 0 ? "true" : "false"
                                             : std::to_string(static_cast<std::int64_t>(input.value)));
    for (std::size_t i = 0; i < input.sizes.size(); ++i) text += (i ? "x" : "") + std::to_string(input.sizes[i]);
    text += ":" + (input.dtype.starts_with("torch.") ? input.dtype.substr(6) : input.dtype);
    return input.isInteger() ? text + "<" + std::to_string(input.high) + ">" : text;
}

fx::Error missing(const InputGuess& guess) {
    const fx::MessageArgument name("name", guess.input.name);
    if (guess.sureness == InputGuess::Sureness::Unknown) return usage(fx::Message("inputs.no_value", {name}));
    return usage(
        fx::Message("inputs.not_guessed", {name, {"example", optionText(guess.input)}, {"reason", guess.reason()}}));
}

/// Throws Error{Usage} when one is given twice, or to a model that has none of that name.
void checkNames(const fx::GraphModule& model, const std::vector<fx::NodeId>& placeholders,
                const std::vector<InputSpec>& random) {
    std::unordered_map<fx::NodeId, std::size_t> given;
    for (const InputSpec& input : random) {
        const auto place = std::find_if(placeholders.begin(), placeholders.end(),
                                        [&](fx::NodeId id) { return isFor(input, model.graph.node(id)); });
        if (place == placeholders.end()) throw unknownInput(input.name, joined(model, placeholders));
        if (++given[*place] > 1) throw usage(fx::Message("worker.given_twice", {{"name", input.name}}));
    }
}

/// `--input rate=16000` of an input that is a number is its value, not a size.
InputSpec asDeclared(InputSpec given, const fx::Node& node) {
    const std::string number = fx::declaredNumber(node);
    if (number.empty() || given.sizes.size() != 1 || given.generator != fx::Generator::Normal || given.high > 0)
        return given;
    given.value = static_cast<double>(given.sizes[0]);
    given.sizes.clear(), given.dtype = number, given.generator = fx::Generator::Constant;
    return given;
}

/// What the request says of an input, or null.
const InputSpec* givenFor(const fx::Node& node, const fx::remote::RunRequest& request) {
    const auto given = std::find_if(request.random.begin(), request.random.end(),
                                    [&](const InputSpec& input) { return isFor(input, node); });
    return given == request.random.end() ? nullptr : &*given;
}

ModelInputs drawn(const fx::GraphModule& model, const std::vector<fx::NodeId>& placeholders,
                  const fx::remote::RunRequest& request, const std::vector<InputGuess>& guesses,
                  fx::engine::TensorStore& tensors) {
    ModelInputs out;
    for (const fx::NodeId id : placeholders) {
        const fx::Node& node = model.graph.node(id);
        const InputSpec* given = givenFor(node, request);
        const InputGuess* guess = fx::guessFor(guesses, node.target());
        if (!given && (!guess || guess->sureness == InputGuess::Sureness::Default)) continue; // *args, or a default
        if (!given && !guess->declared.empty())
            throw usage(fx::Message("inputs.cannot_be_guessed", {{"name", node.target()}, {"type", guess->declared}}));
        if (!given && !guess->isSafe() && !request.anyGuess) throw missing(*guess);
        out.drawn.push_back(given ? asDeclared(*given, node) : guess->input);
        out.drawn.back().name = node.target();
        out.values.named.emplace_back(node.target(), fx::engine::drawInput(out.drawn.back(), tensors));
        out.told.push_back(node.target() + ": " + fx::inputText(out.drawn.back()));
        if (given) continue;
        out.guessed.push_back(out.told.back() + " (" + guess->reason() + ")");
        out.isFromLayers |= node.meta().values.empty() && guess->sureness != InputGuess::Sureness::Unused;
    }
    return out;
}

/// Whether the layers of the model take the inputs, as far as shapes tell.
bool takes(const fx::GraphModule& model, const std::vector<fx::NodeId>& placeholders,
           const fx::remote::RunRequest& request, const std::vector<InputGuess>& guesses) {
    fx::remote::RunRequest trial = request;
    trial.anyGuess = true;
    for (InputSpec& input : trial.random) // zeros are good indices of anything
        if (input.isInteger() && input.high <= input.low) input.high = input.low + 1;
    const std::shared_ptr<const fx::GraphModule> whole(std::shared_ptr<void>(), &model); // for this call
    try {
        fx::engine::TensorStore tensors;
        ModelInputs inputs = drawn(model, placeholders, trial, guesses, tensors);
        flattenInputs(model, inputs.values);
        checkExportedInputs(model, placeholders, inputs.values);
        const fx::NodeShapes shapes = fx::engine::nodeShapes(whole, inputs.values);
        return std::all_of(shapes.failures.begin(), shapes.failures.end(),
                           [](const fx::ShapeFailure& failure) { return failure.needsValues; });
    } catch (const fx::Error& error) {
        if (error.kind() == fx::ErrorKind::Cancelled) throw;
        return error.kind() != fx::ErrorKind::Usage; // else nothing is known of sizes, and the run tells the error
    }
}

/// Each one belongs to an input of the model, and none is missing.
void checkGiven(const fx::GraphModule& model, const std::vector<fx::NodeId>& placeholders,
                const fx::engine::RunInputs& inputs) {
    const auto isTaken = [&](const std::string& name) {
        return std::any_of(placeholders.begin(), placeholders.end(),
                           [&](fx::NodeId id) { return model.graph.node(id).target() == name; });
    };
    const auto isNamed = [&](const fx::Node& node) {
        return std::any_of(inputs.named.begin(), inputs.named.end(),
                           [&](const auto& entry) { return entry.first == node.target(); });
    };
    const auto hasStars = [&](std::size_t count) {
        return std::any_of(placeholders.begin(), placeholders.end(), [&](fx::NodeId id) {
            return model.graph.node(id).target().find_first_not_of('*') == count;
        });
    };
    const bool takesMore = hasStars(1), takesAnyName = hasStars(2);
    for (const auto& [name, value] : inputs.named)
        if (!takesAnyName && !isTaken(name)) throw unknownInput(name, joined(model, placeholders));
    std::size_t place = 0;
    for (const fx::NodeId id : placeholders) {
        const fx::Node& node = model.graph.node(id);
        const bool isGiven = place++ < inputs.positional.size() || isNamed(node);
        if (!isGiven && !node.target().starts_with("*") && node.args().empty() && !isFixed(model, id))
            throw usage(
                fx::Message("worker.no_value", {{"name", node.target()}, {"known", joined(model, placeholders)}}));
    }
    if (inputs.positional.size() > placeholders.size() && !takesMore)
        throw usage(fx::Message("worker.input_count", {{"got", inputs.positional.size()},
                                                       {"expected", placeholders.size()},
                                                       {"known", joined(model, placeholders)}}));
}

/// The name in B of an input that A calls `name`: the same, else what stands at its place in B and is no input of A.
const std::string& nameInOther(const std::string& name, const std::vector<std::string>& namesA,
                               const std::vector<std::string>& namesB) {
    if (std::find(namesB.begin(), namesB.end(), name) != namesB.end()) return name;
    const auto place = static_cast<std::size_t>(std::find(namesA.begin(), namesA.end(), name) - namesA.begin());
    return place < namesA.size() && place < namesB.size() &&
                   std::find(namesA.begin(), namesA.end(), namesB[place]) == namesA.end()
               ? namesB[place]
               : name;
}

} // namespace

fx::Error unknownInput(const std::string& name, const std::string& known) {
    return usage(fx::Message("worker.unknown_input", {{"name", name}, {"known", known}}));
}

fx::engine::RunInputs givenInputs(const fx::ValueTree& tree, fx::engine::TensorStore& tensors) {
    fx::engine::RunInputs out;
    const fx::engine::Value value = fx::engine::fromTree(tree, tensors);
    if (const fx::engine::Mapping* mapping = value.mapping()) {
        for (const auto& [key, item] : mapping->items) {
            if (!key.text()) throw usage(fx::Message("worker.dict_keys"));
            out.named.emplace_back(*key.text(), item);
        }
    } else if (const fx::engine::Items* items = value.items()) {
        out.positional = items->items;
    } else {
        out.positional = {value};
    }
    return out;
}

std::vector<InputGuess> guessesFor(const fx::GraphModule& model, const std::vector<fx::NodeId>& placeholders,
                                   const fx::remote::RunRequest& request) {
    if (request.inputs) return {};
    checkNames(model, placeholders, request.random);
    std::vector<InputGuess> guesses = fx::guessInputs(model);
    for (const fx::NodeId id : placeholders)
        if (const fx::Node& node = model.graph.node(id); givenFor(node, request))
            std::erase_if(guesses, [&](const InputGuess& guess) { return guess.input.name == node.target(); });
    const auto fits = [&](const std::vector<InputGuess>& some) { return takes(model, placeholders, request, some); };
    if (!fx::hasOtherSizes(guesses) || fits(guesses)) return guesses;
    auto others = fx::otherSizes(guesses, fits);
    return others ? std::move(*others) : guesses;
}

ModelInputs makeInputs(const fx::GraphModule& model, const std::vector<fx::NodeId>& placeholders,
                       const fx::remote::RunRequest& request, fx::engine::TensorStore& tensors) {
    return makeInputs(model, placeholders, request, guessesFor(model, placeholders, request), tensors);
}

ModelInputs makeInputs(const fx::GraphModule& model, const std::vector<fx::NodeId>& placeholders,
                       const fx::remote::RunRequest& request, const std::vector<InputGuess>& guesses,
                       fx::engine::TensorStore& tensors) {
    fx::engine::seed(request.seed);
    if (!request.inputs) {
        ModelInputs out = drawn(model, placeholders, request, guesses, tensors);
        flattenInputs(model, out.values);
        checkExportedInputs(model, placeholders, out.values);
        return out;
    }
    ModelInputs out{givenInputs(*request.inputs, tensors), {}, {}, {}};
    flattenInputs(model, out.values);
    checkGiven(model, placeholders, out.values);
    checkExportedInputs(model, placeholders, out.values);
    return out;
}

std::vector<std::string> inputNames(const fx::engine::Interpreter& interpreter, bool needed) {
    std::vector<std::string> names;
    for (const fx::NodeId id : interpreter.inputs()) {
        const fx::Node& node = interpreter.model().graph.node(id);
        const bool optional =
            !node.args().empty() || node.target().starts_with("*") || isFixed(interpreter.model(), id);
        if (!needed || !optional) names.push_back(node.target());
    }
    return names;
}

fx::engine::RunInputs forOther(const fx::engine::RunInputs& inputs, const std::vector<std::string>& namesA,
                               const std::vector<std::string>& namesB) {
    fx::engine::RunInputs copies;
    for (const fx::engine::Value& value : inputs.positional) copies.positional.push_back(fx::engine::copyOf(value));
    for (const auto& [name, value] : inputs.named)
        copies.named.emplace_back(nameInOther(name, namesA, namesB), fx::engine::copyOf(value));
    return copies;
}

fx::engine::RunInputs givenToOther(const fx::ValueTree& tree, const std::vector<std::string>& namesA,
                                   const fx::engine::Interpreter& b, fx::engine::TensorStore& tensors) {
    fx::engine::RunInputs inputs = givenInputs(tree, tensors);
    flattenInputs(b.model(), inputs);
    const auto namesB = inputNames(b, false);
    for (auto& [name, value] : inputs.named) name = std::string(nameInOther(name, namesA, namesB));
    if (inputs.named.empty()) checkGiven(b.model(), b.inputs(), inputs);
    return inputs;
}

} // namespace app
