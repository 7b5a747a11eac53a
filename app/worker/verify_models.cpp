// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/worker/verify_models.h"

#include "app/worker/exported.h"
#include "app/worker/model_inputs.h"
#include "core/engine/machine.h"
#include "core/engine/verify/verify.h"

#include <algorithm>

namespace app {
namespace {

using fx::engine::Value;
using fx::engine::VerifySide;

VerifySide sideOf(const fx::remote::ModelRef& ref, const Context& context) {
    VerifySide side{context.models.get(ref), std::make_shared<fx::engine::TensorStore>(), {}, {}};
    side.finish = [model = side.model, tensors = side.tensors](const Value& output) { return moduleOutput(*model, output, *tensors); };
    return side;
}

} // namespace

fx::VerifyReport verifyModels(const fx::remote::VerifyRequest& request, const Context& context) {
    VerifySide a = sideOf(request.run.model, context), b = sideOf(request.other, context);
    fx::engine::setThreads(request.run.threads);
    const fx::engine::Interpreter interpreter(a.model, a.tensors);
    ModelInputs inputs = makeInputs(*a.model, interpreter.inputs(), request.run, *a.tensors);
    const fx::engine::Interpreter other(b.model, b.tensors);
    const auto namesA = inputNames(interpreter, false), namesB = inputNames(other, false), neededB = inputNames(other, true);
    // Given ones are read again: an exported program takes containers apart, the other may not.
    b.inputs = forOther(request.run.inputs ? makeInputs(*b.model, other.inputs(), request.run, *b.tensors).values : inputs.values, namesA, namesB);
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
    for (const VerifySide* side : {&a, &b})
        for (fx::Warning warning : side->model->warnings) {
            if (warning.where.empty()) warning.where = side->model->path; // which of the two
            report.warnings.push_back(std::move(warning));
        }
    return report;
}

} // namespace app
