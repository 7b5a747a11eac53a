// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/edit_result.h"
#include "app/cli/file_options.h"
#include "app/cli/measured_times.h"
#include "app/cli/output.h"
#include "app/cli/save.h"
#include "app/cli/show.h"
#include "app/cli/text_verb.h"
#include "app/cli/verbs.h"
#include "app/cli/worker_engine.h"
#include "core/base/counted.h"
#include "core/edit/python/recipe_python.h"
#include "core/edit/recipe.h"
#include "core/edit/steps/step_files.h"
#include "core/model_files/save_project.h"

namespace app {
namespace {

struct EditOptions {
    std::vector<std::string> steps;
    std::string recipe;
    SaveRequest save;
    RunOptions run; ///< what steps that balance by time are timed with, and passes compute with
    std::string show;
    bool asPython = false;
};

/// Prints the steps as a script for torch.fx.
int printPython(Session& session, const EditOptions& options, const fx::StepList& steps) {
    const auto model = session.openWarning(options.save.model);
    const std::string script =
        fx::recipePython(*model, steps, options.save.model, session.progress(), {}, session.readers());
    if (!session.json()) return writeOutput(script), kDone;
    fx::JsonWriter json;
    session.printLine(json.beginObject(fx::JsonWriter::Layout::Lines).key("python").string(script).endObject().text());
    return kDone;
}

/// Applies steps to the model and writes or prints the result.
int applyAll(Session& session, const EditOptions& options, const fx::StepList& steps) {
    for (const std::string& file : fx::filesInSteps(steps)) session.files().read(R"(the step's "file")", file);
    if (options.asPython) return printPython(session, options, steps);
    if (!options.save.output.empty()) checkOutput(options.save.output);
    const auto model = session.json() ? session.open(options.save.model) : session.openWarning(options.save.model);
    const fx::Graph before = model->graph;
    SaveRequest save = options.save;
    if (save.output.ends_with(".lancet"))
        save.project = fx::projectOf(std::make_shared<const fx::GraphModule>(*model), session.progress());
    if (save.project) save.project->add({"lancet edit", steps, std::chrono::system_clock::now()});
    WorkerEngine engine(session, options.run);
    const fx::EditEffect effect = fx::applySteps(*model, steps, session.progress(), &engine, session.readers());
    const bool verified = !options.save.output.empty() && saveModel(session, *model, save);
    if (session.json()) {
        fx::Warnings warnings = model->warnings;
        warnings.insert(warnings.end(), effect.warnings.begin(), effect.warnings.end());
        session.printLine(editResultJson(editNames(before, model->graph, effect), options.save.output, verified,
                                         session.andTold(warnings)));
        return kDone;
    }
    for (const fx::Warning& warning : effect.warnings) session.warn(warning);
    if (!options.show.empty()) session.printExact(shownText(*model, options.show));
    else
        session.printLine(fx::counted(steps.size(), "step", "steps") + "; nodes: " +
                          std::to_string(effect.created.size()) + " created, " + std::to_string(effect.erased.size()) +
                          " erased, " + std::to_string(effect.changed.size()) + " changed");
    return kDone;
}

int edit(Session& session, const EditOptions& options) {
    std::string text = "[";
    for (const std::string& step : options.steps) text += (text.size() > 1 ? ",\n" : "") + step;
    fx::StepList steps;
    try {
        steps = fx::StepList::parse(text + "]");
    } catch (const fx::Error& error) {
        throw fx::Error(fx::ErrorKind::Usage, fx::Message("cli.step_json", {{"detail", error.what()}}));
    }
    for (const fx::JsonValue step : steps)
        if (!step.isObject()) throw fx::Error(fx::ErrorKind::Usage, fx::Message("cli.step_object"));
    return applyAll(session, options, steps);
}

int apply(Session& session, const EditOptions& options) {
    try {
        fx::StepList steps = fx::readRecipe(options.recipe);
        if (std::any_of(steps.begin(), steps.end(), lacksTimes)) // else the model is not opened for it
            steps = stepsWithTimes(session, options.run, *session.open(options.save.model), steps);
        return applyAll(session, options, steps);
    } catch (fx::Error& error) {
        if (error.kind() == fx::ErrorKind::File && error.file.empty()) throw error.in(options.recipe);
        throw;
    }
}

void declareResult(CLI::App& cli, EditOptions& options) {
    options.save.declare(cli);
    declareShow(cli, options.show);
    cli.add_flag("--as-python", options.asPython, "print the steps as a torch.fx script instead of applying them")
        ->excludes("--output")
        ->excludes("--show");
}

Action declareEdit(CLI::App& cli) {
    auto options = std::make_shared<EditOptions>();
    declareModel(cli, options->save.model);
    cli.add_option("--step", options->steps, R"(step as JSON, e.g. '{"step": "erase", "node": "relu"}'; repeatable)")
        ->required()
        ->type_name("JSON")
        ->expected(1, -1);
    declareResult(cli, *options);
    return [options](Session& session) { return edit(session, *options); };
}

Action declareApply(CLI::App& cli) {
    auto options = std::make_shared<EditOptions>();
    declareModel(cli, options->save.model);
    reads(cli.add_option("RECIPE", options->recipe, "recipe file: {\"lancet_recipe\": 1, \"steps\": [...]}"))
        ->required()
        ->type_name("RECIPE.json");
    options->run.declare(cli);
    declareResult(cli, *options);
    return [options](Session& session) { return apply(session, *options); };
}

} // namespace

const Verb kEditVerb = {
    "edit", "edit the graph in single steps",
    R"(lancet edit resources/samples/simple_net.pt --step '{"step": "rename", "node": "mul", "name": )"
    R"("scaled"}' --show code)",
    declareEdit};
const Verb kApplyVerb = {"apply", "apply a recipe",
                         "lancet apply resources/samples/simple_net.pt resources/samples/recipe.json --show code",
                         declareApply};

} // namespace app
