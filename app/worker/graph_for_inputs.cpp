// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/worker/graph_for_inputs.h"

#include "app/worker/model_inputs.h"
#include "core/engine/interpreter.h"
#include "core/torchscript/torchscript.h"

#include <algorithm>

namespace app {
namespace {

/// Whether inputs have other values than those that the graph is made for. False if they cannot be read.
bool areOthers(const fx::GraphModule& graph, const fx::Kwargs& assumed, const fx::remote::RunRequest& given) {
    fx::engine::TensorStore tensors;
    const auto names = [&] {
        std::vector<std::string> out;
        for (const fx::Node& node : graph.graph.nodes())
            if (node.op() == fx::Op::Placeholder) out.push_back(node.target());
        return out;
    }();
    const auto isOther = [&](const std::string& name, const fx::engine::Value& value) {
        const auto known =
            std::find_if(assumed.begin(), assumed.end(), [&](const auto& input) { return input.first == name; });
        if (known == assumed.end()) return false;
        const auto literal = value.isTensor() ? std::nullopt : fx::engine::toArgument(value);
        return !literal || !(*literal == known->second);
    };
    try {
        const fx::engine::RunInputs inputs =
            given.inputs ? givenInputs(*given.inputs, tensors) : fx::engine::RunInputs();
        for (std::size_t i = 0; i < std::min(inputs.positional.size(), names.size()); ++i)
            if (isOther(names[i], inputs.positional[i])) return true;
        return std::any_of(inputs.named.begin(), inputs.named.end(),
                           [&](const auto& input) { return isOther(input.first, input.second); }) ||
               std::any_of(given.random.begin(), given.random.end(), [&](const fx::InputSpec& drawn) {
                   return std::any_of(assumed.begin(), assumed.end(),
                                      [&](const auto& input) { return input.first == drawn.name; });
               });
    } catch (const fx::Error&) { return false; } // whoever runs the model says so
}

} // namespace

fx::remote::ModelRef graphForInputs(const fx::remote::ModelRef& model, const fx::remote::RunRequest& given,
                                    const Context& context) {
    if (model.path.empty() || model.handle != 0) return model;
    std::shared_ptr<const fx::GraphModule> graph;
    try {
        graph = context.models.get(model);
    } catch (const fx::Error&) { return model; } // likewise
    const auto* origin = dynamic_cast<const fx::script::ScriptOrigin*>(graph->origin.get());
    if (!origin || origin->hasFixedInputs || !areOthers(*graph, origin->report.assumed, given)) return model;
    fx::remote::ModelRef every =
        graph->path + "#" + fx::script::methodOf(*graph) + std::string(fx::script::kEveryBranch);
    every.mode = model.mode;
    return every;
}

} // namespace app
