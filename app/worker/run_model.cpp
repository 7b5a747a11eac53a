// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/worker/run_model.h"

#include "app/worker/exported.h"
#include "core/engine/interpreter.h"
#include "core/engine/machine.h"
#include "core/engine/value_tree.h"

#include <algorithm>
#include <charconv>
#include <chrono>

namespace app {
namespace {

using fx::remote::RandomInput;

fx::Error usage(const std::string& what) { return fx::Error(fx::ErrorKind::Usage, what); }

std::string joined(const fx::GraphModule& model, const std::vector<fx::NodeId>& nodes) {
    std::string text;
    for (const fx::NodeId id : nodes) text += (text.empty() ? "" : ", ") + model.graph.node(id).target();
    return text;
}

/// The shape that the file says the input has, when it is one of plain numbers.
std::optional<RandomInput> guessed(const fx::Node& node) {
    if (node.meta().values.empty()) return std::nullopt;
    const fx::ValueInfo& info = node.meta().values.front();
    if (!info.isTensor || !info.dtype.starts_with("torch.")) return std::nullopt;
    RandomInput out{node.target(), {}, info.dtype, 0};
    for (const std::string& size : info.sizes) {
        std::int64_t number = 0;
        const auto [end, error] = std::from_chars(size.data(), size.data() + size.size(), number);
        if (error != std::errc() || end != size.data() + size.size()) return std::nullopt;
        out.sizes.push_back(number);
    }
    const bool floating = info.dtype.starts_with("torch.float") || info.dtype.starts_with("torch.bfloat") || info.dtype == "torch.bool";
    return floating ? std::optional(out) : std::nullopt; // integers are mostly indices, and their range is not known
}

fx::engine::Value drawn(const RandomInput& input) {
    const auto type = fx::engine::scalarType(input.dtype);
    if (!type) throw usage("the input " + input.name + " has an unknown dtype " + input.dtype);
    const bool integer = at::isIntegralType(*type, false);
    if (integer && input.high <= 0) throw usage("the input " + input.name + " is of integers, which need a range").hinting("write --input " + input.name + "=SHAPE:" + input.dtype.substr(6) + "<N> for integers from 0 to N-1");
    return fx::engine::randomInput(input.sizes, *type, input.high);
}

/// An input of an exported program whose value the export has fixed.
bool isFixed(const fx::GraphModule& model, fx::NodeId id) {
    return std::any_of(model.lifted.begin(), model.lifted.end(), [&](const fx::LiftedInput& lifted) { return lifted.node == id && lifted.kind == fx::LiftedInput::Kind::ConstantInput; });
}

fx::engine::RunInputs drawnInputs(const fx::engine::Interpreter& interpreter, const fx::remote::RunRequest& request) {
    const fx::GraphModule& model = interpreter.model();
    fx::engine::RunInputs out;
    std::vector<bool> used(request.random.size());
    for (const fx::NodeId id : interpreter.inputs()) {
        const fx::Node& node = model.graph.node(id);
        const auto given = std::find_if(request.random.begin(), request.random.end(), [&](const RandomInput& input) { return input.name == node.target() || input.name == node.name(); });
        if (given != request.random.end()) {
            used[static_cast<std::size_t>(given - request.random.begin())] = true;
            out.named.emplace_back(node.target(), drawn(*given));
        } else if (const auto guess = guessed(node)) {
            out.named.emplace_back(node.target(), drawn(*guess));
        } else if (node.args().empty() && !node.target().starts_with("*") && !isFixed(model, id)) {
            throw usage("the input '" + node.target() + "' has no value").hinting("give each of the model's inputs (" + joined(model, interpreter.inputs()) + ") with --input NAME=SHAPE, or --inputs FILE");
        }
    }
    for (std::size_t i = 0; i < used.size(); ++i)
        if (!used[i]) throw usage("the model has no input '" + request.random[i].name + "'").hinting("its inputs are " + joined(model, interpreter.inputs()));
    return out;
}

fx::engine::RunInputs givenInputs(const fx::ValueTree& tree, fx::engine::TensorStore& tensors) {
    fx::engine::RunInputs out;
    const fx::engine::Value value = fx::engine::fromTree(tree, tensors);
    if (const fx::engine::Mapping* mapping = value.mapping()) {
        for (const auto& [key, item] : mapping->items) {
            if (!key.text()) throw usage("a dict of inputs has the names of inputs as keys");
            out.named.emplace_back(*key.text(), item);
        }
    } else if (const fx::engine::Items* items = value.items()) {
        out.positional = items->items;
    } else {
        out.positional = {value};
    }
    return out;
}

} // namespace

fx::remote::RunResult runModel(const fx::remote::RunRequest& request, const Context& context) {
    const std::shared_ptr<const fx::GraphModule> model = context.models.get(request.model);
    fx::engine::setThreads(request.threads);
    const auto tensors = std::make_shared<fx::engine::TensorStore>();
    fx::engine::Interpreter interpreter(model, tensors);
    fx::engine::seed(request.seed);
    fx::engine::RunInputs inputs = request.inputs ? givenInputs(*request.inputs, *tensors) : drawnInputs(interpreter, request);
    flattenInputs(*model, inputs);
    const auto start = std::chrono::steady_clock::now();
    const fx::engine::Value output = interpreter.run(inputs, {[&context](const fx::Node& node) { context.checkAt(node); }, {}});
    const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
    return {fx::engine::toTree(moduleOutput(*model, output, *tensors)), time.count()};
}

} // namespace app
