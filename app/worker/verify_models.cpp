// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/worker/verify_models.h"

#include "app/worker/exported.h"
#include "app/worker/model_inputs.h"
#include "core/engine/draw.h"
#include "core/engine/machine.h"
#include "core/engine/verify/verify.h"

#include <algorithm>

namespace app {
namespace {

using fx::engine::RunInputs;
using fx::engine::Value;
using fx::engine::VerifySide;

VerifySide sideOf(const fx::remote::ModelRef& ref, const Context& context) {
    VerifySide side{context.models.get(ref), std::make_shared<fx::engine::TensorStore>(), {}, {}};
    side.finish = [model = side.model, tensors = side.tensors](const Value& output) { return moduleOutput(*model, output, *tensors); };
    return side;
}

std::vector<std::string> inputNames(const VerifySide& side, bool needed) {
    std::vector<std::string> names;
    const fx::engine::Interpreter interpreter(side.model, side.tensors);
    for (const fx::NodeId id : interpreter.inputs()) {
        const fx::Node& node = side.model->graph.node(id);
        const bool optional = !node.args().empty() || node.target().starts_with("*");
        if (!needed || !optional) names.push_back(node.target());
    }
    return names;
}

/// What A gets, for B: by name, where B has no such name by the place that A has it at. Copies, since models may change their inputs.
RunInputs forOther(const RunInputs& inputs, const std::vector<std::string>& namesA, const std::vector<std::string>& namesB) {
    RunInputs copies;
    for (const Value& value : inputs.positional) copies.positional.push_back(fx::engine::copyOf(value));
    for (const auto& [name, value] : inputs.named) {
        std::string other = name;
        const auto place = static_cast<std::size_t>(std::find(namesA.begin(), namesA.end(), name) - namesA.begin());
        const bool known = std::find(namesB.begin(), namesB.end(), name) != namesB.end();
        if (!known && place < namesB.size() && std::find(namesA.begin(), namesA.end(), namesB[place]) == namesA.end()) other = namesB[place];
        copies.named.emplace_back(other, fx::engine::copyOf(value));
    }
    return copies;
}

} // namespace

fx::VerifyReport verifyModels(const fx::remote::VerifyRequest& request, const Context& context) {
    VerifySide a = sideOf(request.run.model, context), b = sideOf(request.other, context);
    fx::engine::setThreads(request.run.threads);
    const fx::engine::Interpreter interpreter(a.model, a.tensors);
    ModelInputs inputs = makeInputs(*a.model, interpreter.inputs(), request.run, *a.tensors);
    const auto namesA = inputNames(a, false), namesB = inputNames(b, false), neededB = inputNames(b, true);
    // Given ones are read again: an exported program takes containers apart, the other may not.
    b.inputs = forOther(request.run.inputs ? makeInputs(*b.model, fx::engine::Interpreter(b.model, b.tensors).inputs(), request.run, *b.tensors).values : inputs.values, namesA, namesB);
    a.inputs = std::move(inputs.values);
    const auto hasNoValue = [&](const std::string& name) { return std::none_of(b.inputs.named.begin(), b.inputs.named.end(), [&](const auto& entry) { return entry.first == name; }); };
    const auto missing = a.inputs.positional.empty() ? std::find_if(neededB.begin(), neededB.end(), hasNoValue) : neededB.end();
    fx::VerifyReport report;
    if (missing != neededB.end()) {
        report.verdict = fx::Verdict::NotComparable;
        report.reason = "B takes an input '" + *missing + "' that A has not";
    } else {
        report = fx::engine::verify(a, b, {request.tolerances, [&context](const fx::Node& node) { context.checkAt(node); }});
    }
    report.inputs = inputs.told, report.guessed = inputs.guessed;
    return report;
}

} // namespace app
