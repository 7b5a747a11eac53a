// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/worker/verify_models.h"

#include "app/worker/exported.h"
#include "app/worker/input_guards.h"
#include "app/worker/model_inputs.h"
#include "core/engine/machine.h"
#include "core/engine/verify/probe.h"
#include "core/engine/verify/stimulus.h"
#include "core/io/compile_text/missing_values.h"
#include "core/io/torchscript/torchscript.h"
#include "core/io/zip/checksums.h"

#include <algorithm>

namespace app {
namespace {

using fx::engine::Value;
using fx::engine::VerifySide;

/// A script that is what another model is compared with counts as LibTorch runs it.
std::shared_ptr<const fx::GraphModule> modelOf(const fx::remote::ModelRef& ref, bool asItself, const Context& context) {
    auto model = context.models.get(ref);
    if (!asItself || ref.path.empty() || model->format != fx::Format::TorchScript) return model;
    if (fx::script::methodOf(*model) != "forward") return model; // which is all that LibTorch is asked for
    return fx::script::fileItself(*model);
}

VerifySide sideOf(const fx::remote::ModelRef& ref, bool asItself, const Context& context) {
    VerifySide side{modelOf(ref, asItself, context), std::make_shared<fx::engine::TensorStore>(), {}, {}};
    fx::requireValues(*side.model);
    side.finish = [model = side.model, tensors = side.tensors](const Value& output) {
        return moduleOutput(*model, output, *tensors);
    };
    return side;
}

/// Whatever goes wrong with the inputs of a model is said of this model.
template<class Action> auto about(fx::Side model, const Action& action) {
    try {
        return action();
    } catch (fx::Error& error) {
        if (error.where.empty()) error.of(model);
        throw;
    }
}

/// Two models with the same inputs, ready to run.
struct Sides {
    VerifySide a, b;
    ModelInputs told;    ///< its values are those of `a`
    std::string missing; ///< an input of B that nothing gives a value
};

using Guesses = std::vector<fx::InputGuess>;

/// The guesses for A, which its graph tells also where the file runs as a whole.
Guesses guessesOfA(const fx::remote::VerifyRequest& request, const Context& context) {
    if (request.run.inputs) return {};
    const auto graph = context.models.get(request.run.model);
    const fx::engine::Interpreter interpreter(graph, std::make_shared<fx::engine::TensorStore>());
    return about(fx::Side::A, [&] { return guessesFor(*graph, interpreter.inputs(), request.run); });
}

/// The guesses with batches of two where they have assumed one: a slice of one may be empty, and `squeeze` finds more.
/// Empty if there are none.
Guesses ofTwo(Guesses guesses) {
    bool any = false;
    for (fx::InputGuess& guess : guesses) {
        const auto dim = static_cast<std::size_t>(guess.input.batchDim);
        const bool isOpen = guess.input.batchDim >= 0 && dim < guess.input.sizes.size() &&
                            guess.sureness != fx::InputGuess::Sureness::Known && guess.input.sizes[dim] == 1;
        if (isOpen) guess.input.sizes[dim] = 2, any = true;
    }
    return any ? guesses : Guesses();
}

Sides sidesOf(const fx::remote::VerifyRequest& request, const Guesses& guesses, const Context& context) {
    Sides sides{sideOf(request.run.model, true, context), sideOf(request.other, false, context), {}, {}};
    VerifySide &a = sides.a, &b = sides.b;
    const fx::engine::Interpreter interpreter(a.model, a.tensors);
    sides.told = about(fx::Side::A,
                       [&] { return makeInputs(*a.model, interpreter.inputs(), request.run, guesses, *a.tensors); });
    const fx::engine::Interpreter other(b.model, b.tensors);
    const auto namesA = inputNames(interpreter, false);
    b.inputs = about(fx::Side::B, [&] {
        return request.run.inputs ? givenToOther(*request.run.inputs, namesA, other, *b.tensors)
                                  : forOther(sides.told.values, namesA, inputNames(other, false));
    });
    a.inputs = std::move(sides.told.values);
    for (const std::string& name : inputNames(other, true)) {
        const bool given = std::any_of(b.inputs.named.begin(), b.inputs.named.end(),
                                       [&](const auto& entry) { return entry.first == name; });
        if (!given && a.inputs.positional.empty() && sides.missing.empty()) sides.missing = name;
    }
    if (sides.missing.empty()) about(fx::Side::B, [&] { checkExportedInputs(*b.model, other.inputs(), b.inputs); });
    return sides;
}

fx::engine::VerifyOptions optionsOf(const fx::remote::VerifyRequest& request, const Context& context) {
    return {request.tolerances, [&context](const fx::Node& node) { context.checkAt(node); }, context.progress, {}};
}

fx::VerifyReport verifyWith(const fx::remote::VerifyRequest& request, const Guesses& guesses, const Context& context) {
    const Sides sides = sidesOf(request, guesses, context);
    fx::VerifyReport report;
    if (!sides.missing.empty()) {
        report.verdict = fx::Verdict::Different, report.code = fx::VerdictReason::NotComparable;
        report.reason = fx::Message("worker.other_inputs", {{"name", sides.missing}});
    } else {
        fx::engine::VerifyOptions options = optionsOf(request, context);
        options.freshA = [&] { return sidesOf(request, guesses, context).a; };
        report = fx::engine::verify(sides.a, sides.b, options);
    }
    report.inputs = sides.told.told, report.guessed = sides.told.guessed;
    for (const VerifySide* side : {&sides.a, &sides.b}) {
        if (side == &sides.a || sides.a.model->path != sides.b.model->path)
            if (auto warning = fx::wrongChecksums(side->model->path, context.progress))
                report.warnings.push_back(std::move(*warning));
        for (fx::Warning warning : side->model->warnings) {
            if (warning.where.empty()) warning.where = side->model->path; // which of the two
            report.warnings.push_back(std::move(warning));
        }
    }
    return report;
}

std::vector<fx::Probe> probeWith(const fx::remote::VerifyRequest& request, const Guesses& guesses,
                                 const Context& context) {
    const auto sides = [&](std::uint64_t seed) {
        fx::remote::VerifyRequest other = request;
        other.run.seed = seed;
        Sides made = sidesOf(other, guesses, context);
        if (request.run.inputs && seed != request.run.seed) // the seed draws nothing of what was given
            for (VerifySide* side : {&made.a, &made.b}) side->inputs = fx::engine::otherInputs(side->inputs, 1, seed);
        return std::pair(std::move(made.a), std::move(made.b));
    };
    return fx::engine::probe(sides, optionsOf(request, context), request.run.seed);
}

bool couldNotRun(const fx::Probe& probe) { return probe.reason.is("verify.cannot_run"); }

} // namespace

fx::VerifyReport verifyModels(const fx::remote::VerifyRequest& request, const Context& context) {
    fx::engine::setThreads(request.run.threads);
    const Guesses one = guessesOfA(request, context), two = ofTwo(one);
    if (!two.empty()) {
        try {
            return verifyWith(request, two, context);
        } catch (const fx::Error& error) { // they take only one
            if (error.kind() != fx::ErrorKind::Run && error.kind() != fx::ErrorKind::Usage) throw;
        }
    }
    return verifyWith(request, one, context);
}

std::vector<fx::Probe> probeModels(const fx::remote::VerifyRequest& request, const Context& context) {
    fx::engine::setThreads(request.run.threads);
    const Guesses one = guessesOfA(request, context), two = ofTwo(one);
    std::vector<fx::Probe> probes;
    if (!two.empty()) probes = probeWith(request, two, context);
    const bool anyRan = !std::all_of(probes.begin(), probes.end(), couldNotRun);
    return anyRan ? probes : probeWith(request, one, context);
}

} // namespace app
