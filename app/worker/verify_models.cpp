// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/worker/verify_models.h"

#include "app/worker/exported.h"
#include "app/worker/graph_for_inputs.h"
#include "app/worker/input_guards.h"
#include "app/worker/model_inputs.h"
#include "core/engine/allocation_watch.h"
#include "core/engine/machine.h"
#include "core/engine/verify/further_runs.h"
#include "core/engine/verify/inputs/stimulus.h"
#include "core/engine/verify/probe.h"
#include "core/io/compile_text/missing_values.h"
#include "core/io/zip/checksums.h"
#include "core/torchscript/torchscript.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace app {
namespace {

/// Nothing where the file cannot be read: the values of a model that was sent are elsewhere.
std::optional<fx::Warning> checksumsOf(const std::string& path, const fx::Progress& progress) {
    std::error_code ignored; // devices are not opened: some act on it
    const bool isReadable = std::filesystem::is_regular_file(path, ignored) && std::ifstream(path).is_open();
    return isReadable ? fx::wrongChecksums(path, progress) : std::nullopt;
}

using fx::engine::Value;
using fx::engine::VerifySide;

/// How a TorchScript file runs: as LibTorch runs it, which is what counts, or as its graph, which shows more.
enum class As : std::uint8_t { Itself, Graph };

/// Whether a model is a TorchScript file whose graph is more than a call of it.
bool hasGraph(const fx::remote::ModelRef& ref, const fx::GraphModule& model) {
    const auto* origin = dynamic_cast<const fx::script::ScriptOrigin*>(model.origin.get());
    return !ref.path.empty() && origin && !origin->report.whole &&
           fx::script::methodOf(model) == fx::script::kForward; // which is all that LibTorch is asked for
}

std::shared_ptr<const fx::GraphModule> modelOf(const fx::remote::ModelRef& ref, As as, const Context& context) {
    auto model = context.models.get(ref);
    const bool isItself = as == As::Itself && ref.mode == fx::RunMode::AsSaved && hasGraph(ref, *model);
    return isItself ? fx::script::fileItself(*model) : model;
}

VerifySide sideOf(const fx::remote::ModelRef& ref, As as, const Context& context) {
    VerifySide side{modelOf(ref, as, context), std::make_shared<fx::engine::TensorStore>(), {}, {}};
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

Sides sidesOf(const fx::remote::VerifyRequest& request, As as, const Guesses& guesses, const Context& context,
              As asB = As::Graph) {
    Sides sides{sideOf(request.run.model, as, context), sideOf(request.other, asB, context), {}, {}};
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
    return {request.tolerances,    [&context](const fx::Node& node) { context.checkAt(node); },
            context.progress,      {},
            request.searchSeconds, request.searchRound};
}

fx::VerifyReport verifyAs(As as, const fx::remote::VerifyRequest& request, const Guesses& guesses,
                          const Context& context) {
    const Sides sides = sidesOf(request, as, guesses, context);
    fx::VerifyReport report;
    if (!sides.missing.empty()) {
        report.verdict = fx::Verdict::Different, report.code = fx::VerdictReason::NotComparable;
        report.reason = fx::Message("worker.other_inputs", {{"name", sides.missing}});
    } else {
        fx::engine::VerifyOptions options = optionsOf(request, context);
        options.freshA = [&] { return sidesOf(request, as, guesses, context).a; };
        report = fx::engine::verify(sides.a, sides.b, options);
    }
    report.inputs = sides.told.told, report.guessed = sides.told.guessed;
    return report;
}

/// Of both files: what their models were opened with, and damage.
void addWarnings(const fx::remote::VerifyRequest& request, const Context& context, fx::VerifyReport& report) {
    const auto a = modelOf(request.run.model, As::Graph, context), b = modelOf(request.other, As::Graph, context);
    report.modes = {fx::modeName(*a), fx::modeName(*b)};
    for (const auto& model : a == b ? std::vector{a} : std::vector{a, b}) {
        if (model == a || a->path != b->path)
            if (auto warning = checksumsOf(model->path, context.progress))
                report.warnings.push_back(std::move(*warning));
        fx::Warnings warnings = fx::modeWarnings(*model, (model == a ? request.run.model : request.other).mode);
        warnings.insert(warnings.begin(), model->warnings.begin(), model->warnings.end());
        for (fx::Warning& warning : warnings) {
            if (warning.where.empty()) warning.where = model->path; // which of the two
            report.warnings.push_back(std::move(warning));
        }
    }
}

/// The file has no nodes to look at: whether outputs that agree could have shown a difference, its graph shows.
void judgeByGraph(fx::VerifyReport& file, fx::VerifyReport graph) {
    if (graph.verdict == fx::Verdict::Different) return; // not the file itself
    if (graph.verdict == fx::Verdict::Inconclusive) {
        file.verdict = graph.verdict, file.code = graph.code, file.reason = std::move(graph.reason);
    } else if (file.verdict == fx::Verdict::Inconclusive) {
        const bool equal = std::all_of(file.outputs.begin(), file.outputs.end(),
                                       [](const fx::OutputDifference& output) { return output.value.equal; });
        file.verdict = equal ? fx::Verdict::Equal : fx::Verdict::Close;
        file.code = fx::VerdictReason::None, file.reason = {};
    }
    file.first = std::move(graph.first), file.nodeErrors = std::move(graph.nodeErrors);
    file.nodesCompared = graph.nodesCompared, file.nodesDiffering = graph.nodesDiffering;
    file.remarks = std::move(graph.remarks);
}

/// Files as LibTorch runs them, which their graphs are not everywhere: those have one branch of what the types of the
/// inputs decide. A file that is compared with its own graph is run as that graph.
void runFilesFurther(const fx::remote::VerifyRequest& request, const Guesses& guesses, const Context& context,
                     fx::VerifyReport& report) {
    constexpr fx::engine::FurtherRuns kFew{32, 500};
    const bool isFileA = hasGraph(request.run.model, *context.models.get(request.run.model)),
               isFileB = hasGraph(request.other, *context.models.get(request.other));
    if (!report.agrees() || (!isFileA && !isFileB)) return;
    const As asB = request.run.model.path == request.other.path ? As::Graph : As::Itself;
    const Sides sides = sidesOf(request, As::Itself, guesses, context, asB);
    if (!sides.missing.empty()) return;
    for (const VerifySide* side : {&sides.a, &sides.b}) side->tensors->keepState();
    fx::engine::AllocationWatch memory;
    memory.limit();
    const auto found = differOnFurtherInputs(sides.a, sides.b, optionsOf(request, context), {kFew}).counterexample;
    if (found) report.verdict = fx::Verdict::Inconclusive, report.code = found->code, report.reason = found->reason;
}

fx::VerifyReport verifyOnGiven(const fx::remote::VerifyRequest& request, const Guesses& guesses,
                               const Context& context) {
    fx::VerifyReport report = verifyAs(As::Itself, request, guesses, context);
    const bool isOpen = report.verdict != fx::Verdict::Different && report.code != fx::VerdictReason::LostState;
    if (!isOpen || !hasGraph(request.run.model, *context.models.get(request.run.model))) return report;
    try {
        judgeByGraph(report, verifyAs(As::Graph, request, guesses, context));
    } catch (const fx::Error& error) { // the file runs, so that is no failure
        if (error.kind() != fx::ErrorKind::Run) throw;
    }
    return report;
}

fx::VerifyReport verifyWith(const fx::remote::VerifyRequest& request, const Guesses& guesses, const Context& context) {
    fx::VerifyReport report = verifyOnGiven(request, guesses, context);
    runFilesFurther(request, guesses, context, report);
    return report;
}

fx::VerifyReport verifyGuessed(const fx::remote::VerifyRequest& request, const Context& context) {
    const Guesses one = guessesOfA(request, context), two = fx::withBatchesOfTwo(one);
    if (!two.empty()) {
        try {
            return verifyWith(request, two, context);
        } catch (const fx::Error& error) { // they take only one
            if (error.kind() != fx::ErrorKind::Run && error.kind() != fx::ErrorKind::Usage) throw;
        }
    }
    return verifyWith(request, one, context);
}

std::vector<fx::Probe> probeWith(const fx::remote::VerifyRequest& request, const Guesses& guesses,
                                 const Context& context) {
    const auto sides = [&](std::uint64_t seed) {
        fx::remote::VerifyRequest other = request;
        other.run.seed = seed;
        Sides made = sidesOf(other, As::Graph, guesses, context); // weights of a file stay as they are
        if (request.run.inputs && seed != request.run.seed)       // the seed draws nothing of what was given
            for (VerifySide* side : {&made.a, &made.b}) side->inputs = fx::engine::otherInputs(side->inputs, seed);
        return std::pair(std::move(made.a), std::move(made.b));
    };
    return fx::engine::probe(sides, optionsOf(request, context), request.run.seed);
}

/// Both models with the graphs that the inputs need.
fx::remote::VerifyRequest forInputs(fx::remote::VerifyRequest request, const Context& context) {
    for (fx::remote::ModelRef* model : {&request.run.model, &request.other})
        *model = graphForInputs(*model, request.run, context);
    return request;
}

bool couldNotRun(const fx::Probe& probe) { return probe.reason.is("verify.cannot_run"); }

} // namespace

fx::VerifyReport verifyModels(const fx::remote::VerifyRequest& asked, const Context& context) {
    fx::engine::setThreads(asked.run.threads);
    const fx::remote::VerifyRequest request = forInputs(asked, context);
    fx::VerifyReport report = verifyGuessed(request, context);
    addWarnings(request, context, report);
    return report;
}

std::vector<fx::Probe> probeModels(const fx::remote::VerifyRequest& asked, const Context& context) {
    fx::engine::setThreads(asked.run.threads);
    const fx::remote::VerifyRequest request = forInputs(asked, context);
    const Guesses one = guessesOfA(request, context), two = fx::withBatchesOfTwo(one);
    std::vector<fx::Probe> probes;
    if (!two.empty()) probes = probeWith(request, two, context);
    const bool anyRan = !std::all_of(probes.begin(), probes.end(), couldNotRun);
    return anyRan ? probes : probeWith(request, one, context);
}

} // namespace app
