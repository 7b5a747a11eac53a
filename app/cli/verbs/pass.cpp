// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/edit_result.h"
#include "app/cli/pass_options.h"
#include "app/cli/save.h"
#include "app/cli/show.h"
#include "app/cli/text_verb.h"
#include "app/cli/verbs.h"
#include "app/cli/worker_engine.h"
#include "core/base/counted.h"
#include "core/edit/steps/steps.h"
#include "core/passes/manager/pass_bisect.h"

#include <algorithm>

namespace app {
namespace {

struct PassVerbOptions {
    PassOptions passes;
    SaveRequest save;
    std::string show;
    std::string afterEach, trace;
    bool suppress = false, bisect = false;
    RunOptions inputs; ///< for passes that ask the worker, and for verifying
};

bool notesShapes(const std::vector<fx::PassRequest>& requests) {
    return std::any_of(requests.begin(), requests.end(),
                       [](const fx::PassRequest& request) { return request.name == "shape_prop"; });
}

std::string bisectionText(const fx::PassBisection& found) {
    std::string text = "pass " + found.pass + " (run " + std::to_string(found.index + 1) + ")";
    if (found.rewrite)
        text += ", rewrite " + std::to_string(found.rewrite->number) + " of " + std::to_string(found.rewrites) +
                ", at " + found.rewrite->node;
    return text + "\n    " + found.problem.what() + "\n    " + fx::counted(found.checks, "model", "models") +
           " checked";
}

std::string bisectionJson(const fx::PassBisection& found) {
    fx::JsonWriter json;
    json.beginObject().key("pass").string(found.pass).key("run").integer(static_cast<std::int64_t>(found.index) + 1);
    json.key("rewrite");
    if (found.rewrite) json.integer(static_cast<std::int64_t>(found.rewrite->number));
    else json.null();
    json.key("rewrites").integer(static_cast<std::int64_t>(found.rewrites)).key("node");
    if (found.rewrite) json.string(found.rewrite->node);
    else json.null();
    return json.key("reason")
        .string(found.problem.what())
        .key("checks")
        .integer(static_cast<std::int64_t>(found.checks))
        .endObject()
        .text();
}

/// `--bisect`: which pass and rewrite broke the model. Exit 1 if one did; nothing is written.
int bisect(Session& session, const fx::GraphModule& model, const fx::PassManager& manager,
           const fx::ModelCheck& check) {
    fx::Warnings warnings;
    const auto found = fx::bisectPasses(model, manager, check, warnings, session.progress());
    if (session.json()) {
        fx::JsonWriter json;
        json.beginObject(fx::JsonWriter::Layout::Lines).key("broken");
        if (found) json.raw(bisectionJson(*found));
        else json.null();
        writeWarnings(json, session.andTold({}));
        session.printLine(json.endObject().text());
    } else {
        session.printLine(found ? bisectionText(*found) : "no pass breaks the model");
    }
    return found ? kAnswerIsNo : kDone;
}

std::string reportText(const std::vector<fx::PassReport>& reports) {
    std::string text;
    for (const fx::PassReport& report : reports) {
        text += (text.empty() ? "" : "\n") + report.name + (report.changed ? ": changed" : ": nothing to do");
        for (const fx::Warning& note : report.notes) text += "\n    " + warningText(note);
    }
    return text;
}

fx::Warnings notesOf(const std::vector<fx::PassReport>& reports) {
    fx::Warnings notes;
    for (const fx::PassReport& report : reports) notes.insert(notes.end(), report.notes.begin(), report.notes.end());
    return notes;
}

int finish(Session& session, const PassVerbOptions& options, const fx::GraphModule& before,
           const fx::GraphModule& model, const std::vector<fx::PassReport>& reports, const fx::Warnings& warnings,
           bool shapes) {
    const bool changed = fx::anyChanged(reports);
    const bool writes = changed && !options.save.output.empty();
    const bool verified = writes && saveModel(session, model, options.save);
    if (session.json()) {
        const fx::EditEffect effect = fx::compareVersions(before.graph, model.graph);
        session.printLine(editResultJson(editNames(before.graph, model.graph, effect),
                                         writes ? options.save.output : "", verified, session.andTold(warnings),
                                         shapes ? &model.graph : nullptr, notesOf(reports)));
        return changed ? kDone : kAnswerIsNo;
    }
    for (const fx::Warning& warning : warnings) session.warn(warning);
    if (options.show.empty()) session.printLine(reportText(reports));
    else session.printExact(shownText(model, options.show));
    return changed ? kDone : kAnswerIsNo;
}

int run(Session& session, const PassVerbOptions& options) {
    std::vector<std::shared_ptr<const fx::JsonDocument>> documents;
    fx::PassManager manager = options.passes.manager(session.readers(), documents);
    if (!options.save.output.empty()) checkOutput(options.save.output);
    const auto model = session.json() ? session.open(options.save.model) : session.openWarning(options.save.model);
    const fx::GraphModule before = *model;
    WorkerEngine engine(session, options.inputs);
    manager.engine = &engine;
    const fx::ModelCheck verify = [&](const fx::GraphModule& now) { engine.compare(before, now); };
    if (options.bisect)
        return bisect(session, *model, manager, options.afterEach == "lint" ? fx::ModelCheck() : verify);
    if (!options.afterEach.empty()) manager.runChecksAfterEachPass = true;
    if (options.afterEach == "verify") manager.addCheck(verify);
    manager.suppressCheckFailures = options.suppress;
    PassPrinter printer(options.trace == "rewrites");
    if (!options.trace.empty()) manager.instruments.push_back(&printer);
    fx::RewriteLimit limit(options.passes.limit);
    if (options.passes.limit > 0) manager.instruments.insert(manager.instruments.begin(), &limit);
    fx::Warnings warnings = session.json() ? model->warnings : fx::Warnings();
    const bool shapes = notesShapes(manager.passes());
    const auto reports = manager.run(*model, warnings, session.progress());
    return finish(session, options, before, *model, reports, warnings, shapes);
}

Action declarePass(CLI::App& cli) {
    auto options = std::make_shared<PassVerbOptions>();
    declareModel(cli, options->save.model);
    options->passes.declare(cli);
    oneOf(cli.add_option("--after-each", options->afterEach,
                         "check after each pass: lint (always done), or verify, which compares the outputs too"),
          {"lint", "verify"});
    cli.add_flag("--suppress-check-failures", options->suppress, "turn failures of verify into warnings");
    cli.add_flag(
           "--bisect", options->bisect,
           "find the first pass, then its first rewrite, after which lint or verify fails (--after-each lint: lint "
           "alone); writes nothing")
        ->excludes("--rewrites");
    oneOf(cli.add_option("--trace", options->trace, "report passes or rewrites, with their times, on standard error"),
          {"passes", "rewrites"});
    options->save.declare(cli);
    options->inputs.declare(cli);
    declareShow(cli, options->show);
    return [options](Session& session) { return run(session, *options); };
}

} // namespace

const Verb kPassVerb = {"pass", "run passes in the given order",
                        "lancet pass resources/samples/simple_net.pt normalize_args --show code", declarePass};

} // namespace app
