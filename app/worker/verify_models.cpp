// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/worker/verify_models.h"

#include "app/worker/exported.h"
#include "app/worker/input_guards.h"
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
    side.finish = [model = side.model, tensors = side.tensors](const Value& output) {
        return moduleOutput(*model, output, *tensors);
    };
    return side;
}

/// Whatever goes wrong with the inputs of a model is said of this model.
template<class Action> auto about(const char* model, const Action& action) {
    try {
        return action();
    } catch (fx::Error& error) {
        if (error.where.empty()) error.at(model);
        throw;
    }
}

} // namespace

fx::VerifyReport verifyModels(const fx::remote::VerifyRequest& request, const Context& context) {
    VerifySide a = sideOf(request.run.model, context), b = sideOf(request.other, context);
    fx::engine::setThreads(request.run.threads);
    const fx::engine::Interpreter interpreter(a.model, a.tensors);
    ModelInputs inputs =
        about("model A", [&] { return makeInputs(*a.model, interpreter.inputs(), request.run, *a.tensors); });
    const fx::engine::Interpreter other(b.model, b.tensors);
    const auto namesA = inputNames(interpreter, false), neededB = inputNames(other, true);
    b.inputs = about("model B", [&] {
        return request.run.inputs ? givenToOther(*request.run.inputs, namesA, other, *b.tensors)
                                  : forOther(inputs.values, namesA, inputNames(other, false));
    });
    a.inputs = std::move(inputs.values);
    const auto hasNoValue = [&](const std::string& name) {
        return std::none_of(b.inputs.named.begin(), b.inputs.named.end(),
                            [&](const auto& entry) { return entry.first == name; });
    };
    const auto missing =
        a.inputs.positional.empty() ? std::find_if(neededB.begin(), neededB.end(), hasNoValue) : neededB.end();
    fx::VerifyReport report;
    if (missing != neededB.end()) {
        report.verdict = fx::Verdict::Different, report.code = fx::VerdictReason::NotComparable;
        report.reason = "B takes an input '" + *missing + "' that A does not have";
    } else {
        about("model B", [&] { checkExportedInputs(*b.model, other.inputs(), b.inputs); });
        report = fx::engine::verify(
            a, b, {request.tolerances, [&context](const fx::Node& node) { context.checkAt(node); }, context.progress});
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
