// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/edit_result.h"
#include "app/cli/save.h"
#include "app/cli/show.h"
#include "app/cli/text_verb.h"
#include "app/cli/verbs.h"
#include "app/cli/worker_engine.h"
#include "core/edit/steps.h"
#include "core/passes/pass_manager.h"

#include <algorithm>

namespace app {
namespace {

int list(Session& session) {
    fx::JsonWriter json;
    json.beginObject(fx::JsonWriter::Layout::Lines).key("passes").beginArray(fx::JsonWriter::Layout::Lines);
    std::string text;
    for (const fx::Pass& pass : fx::allPasses()) {
        json.beginObject().key("name").string(pass.name).key("about").string(pass.about).key("settings").beginArray();
        text += std::string(pass.name) +
                std::string(std::max<std::size_t>(24, pass.name.size() + 1) - pass.name.size(), ' ') +
                std::string(pass.about) + "\n";
        for (const fx::PassSetting& setting : pass.settings) {
            json.beginObject()
                .key("name")
                .string(setting.name)
                .key("about")
                .string(setting.about)
                .key("default")
                .raw(setting.byDefault)
                .endObject();
            text += "    " + std::string(setting.name) + " (" + std::string(setting.byDefault) +
                    "): " + std::string(setting.about) + "\n";
        }
        json.endArray().key("available").boolean(pass.run != nullptr).endObject();
        if (!pass.run) text += "    not here: " + std::string(pass.reason) + "\n";
    }
    text.pop_back();
    session.printLine(session.json() ? json.endArray().endObject().text() : text);
    return kDone;
}

struct Options {
    std::vector<std::string> words; ///< NAME[=JSON]
    SaveRequest save;
    std::string show;
    RunOptions inputs; ///< for passes that ask the worker
};

/// What the words ask for; `documents` keeps the JSON alive.
std::vector<fx::PassRequest> requestsFrom(const std::vector<std::string>& words,
                                          std::vector<std::shared_ptr<const fx::JsonDocument>>& documents) {
    std::vector<fx::PassRequest> requests;
    for (const std::string& word : words) {
        const auto equals = word.find('=');
        fx::PassRequest request{word.substr(0, equals), {}};
        if (!fx::findPass(request.name)) {
            std::string near;
            for (const auto name : fx::passesLike(request.name))
                near += (near.empty() ? "" : " or ") + std::string(name);
            throw fx::Error(fx::ErrorKind::Usage,
                            fx::Message("passes.unknown", {{"name", request.name}, {"near", near}}));
        }
        if (equals != std::string::npos) {
            try {
                documents.push_back(fx::JsonDocument::parse(word.substr(equals + 1)));
                request.settings = documents.back()->root().needObject();
            } catch (const fx::Error& error) {
                throw fx::Error(fx::ErrorKind::Usage,
                                fx::Message("cli.pass_settings", {{"name", request.name}, {"detail", error.what()}}));
            }
        }
        requests.push_back(std::move(request));
    }
    return requests;
}

std::vector<std::string> namesOf(const fx::Graph& graph, const std::vector<fx::NodeId>& ids) {
    std::vector<std::string> names;
    for (const fx::NodeId id : ids) names.push_back(graph.node(id).name());
    return names;
}

bool asksWorker(const std::vector<fx::PassRequest>& requests) {
    return std::any_of(requests.begin(), requests.end(),
                       [](const fx::PassRequest& request) { return fx::findPass(request.name)->needsEngine; });
}

int run(Session& session, const Options& options) {
    std::vector<std::shared_ptr<const fx::JsonDocument>> documents;
    const auto requests = requestsFrom(options.words, documents);
    if (!options.save.output.empty()) checkOutput(options.save.output);
    const auto model = session.json() ? session.open(options.save.model) : session.openWarning(options.save.model);
    const fx::GraphModule before = *model;
    fx::Warnings warnings = session.json() ? model->warnings : fx::Warnings();
    WorkerEngine engine(session, options.inputs);
    const auto reports = fx::runPasses(*model, requests, warnings, session.progress(), &engine);
    const bool changed =
        std::any_of(reports.begin(), reports.end(), [](const fx::PassReport& report) { return report.changed; });
    const bool writes = changed && !options.save.output.empty();
    const bool verified = writes && saveModel(session, *model, options.save);
    if (session.json()) {
        const fx::EditEffect effect = fx::compareVersions(before.graph, model->graph);
        session.printLine(editResultJson({namesOf(model->graph, effect.created), namesOf(before.graph, effect.erased),
                                          namesOf(model->graph, effect.changed)},
                                         writes ? options.save.output : "", verified, session.andTold(warnings),
                                         asksWorker(requests) ? &model->graph : nullptr));
        return changed ? kDone : kAnswerIsNo;
    }
    for (const fx::Warning& warning : warnings) session.warn(warning);
    if (!options.show.empty()) session.printLine(shownText(*model, options.show));
    else
        for (const fx::PassReport& report : reports)
            session.printLine(report.name + (report.changed ? ": changed" : ": nothing to do"));
    return changed ? kDone : kAnswerIsNo;
}

Action declareList(CLI::App&) {
    return [](Session& session) { return list(session); };
}

Action declareRun(CLI::App& cli) {
    auto options = std::make_shared<Options>();
    declareModel(cli, options->save.model);
    cli.add_option("PASS", options->words, "pass with settings, NAME[=JSON]; several run in the given order")
        ->required()
        ->type_name("NAME[=JSON]")
        ->expected(1, -1);
    options->save.declare(cli);
    options->inputs.declare(cli);
    declareShow(cli, options->show);
    return [options](Session& session) { return run(session, *options); };
}

} // namespace

const Verb kPassesVerb = {"passes", "list the passes", "lancet passes", declareList};
const Verb kPassVerb = {"pass", "run passes in the given order",
                        "lancet pass resources/samples/simple_net.pt normalize_args --show code", declareRun};

} // namespace app
