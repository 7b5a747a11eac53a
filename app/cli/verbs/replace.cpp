// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/file_options.h"
#include "app/cli/pattern_file.h"
#include "app/cli/save.h"
#include "app/cli/show.h"
#include "app/cli/text_verb.h"
#include "app/cli/verbs.h"
#include "app/cli/worker_engine.h"
#include "core/edit/match_condition.h"
#include "core/edit/steps/pattern_step.h"
#include "core/match/rewriter.h"
#include "core/module/change_lint.h"
#include "core/passes/fresh_values.h"

#include <algorithm>

namespace app {
namespace {

struct ReplaceOptions {
    std::string pattern, replacement;
    MatchFlags flags;
    SaveRequest save;
    std::string show;
};

void writeReplaced(fx::JsonWriter& json, const fx::Graph& graph, const fx::Graph& pattern,
                   const fx::ReplacedPattern& replaced) {
    json.beginObject().key("anchor");
    const auto anchor = std::find_if(replaced.nodesMap.begin(), replaced.nodesMap.end(),
                                     [&](const auto& item) { return item.first == replaced.anchor; });
    if (anchor == replaced.nodesMap.end()) json.null();
    else writeBinding(json, graph, anchor->second);
    json.key("nodes_map").beginObject();
    for (const auto& [node, bound] : replaced.nodesMap) {
        if (pattern.node(node).op() == fx::Op::Output) continue;
        json.key(pattern.node(node).name());
        writeBinding(json, graph, bound);
    }
    json.endObject().key("replacements").beginArray();
    for (const fx::NodeId node : replaced.replacements) json.string(graph.node(node).name());
    json.endArray().endObject();
}

int replace(Session& session, const ReplaceOptions& options) {
    if (!options.save.output.empty()) checkOutput(options.save.output);
    const auto model = session.json() ? session.open(options.save.model) : session.openWarning(options.save.model);
    const PatternFile pattern = openPattern(session, *model, options.pattern, "pattern");
    const PatternFile replacement = openPattern(
        session, *model,
        options.replacement.empty() ? options.pattern.substr(0, options.pattern.rfind(".py:") == std::string::npos
                                                                    ? std::string::npos
                                                                    : options.pattern.rfind(".py:") + 3)
                                    : options.replacement,
        "replacement", options.replacement.empty());
    fx::RewriteOptions how;
    fx::MatcherOptions matching;
    options.flags.apply(matching, pattern.graph->graph);
    if (!matching.removeOverlapping) throw fx::Error(fx::ErrorKind::Usage, fx::Message("cli.overlapping_matches"));
    how.ignoreLiterals = matching.ignoreLiterals;
    how.relaxations = matching.relaxations;
    how.replacementIsModule = replacement.isModule;
    const auto unknown = std::make_shared<std::size_t>();
    how.filters = options.flags.matchFilters(*pattern.graph, unknown);
    std::size_t givenUp = 0;
    how.givenUp = &givenUp;
    fx::TorchGenerator random(session.options().seed);
    fx::makeNewModules(how, replacement.newModules, random);
    const fx::GraphModule before = *model;
    const auto replaced = fx::replacePattern(*model, *pattern.graph, *replacement.graph, how, session.progress());
    if (givenUp) session.warn(fx::gaveUp(givenUp));
    if (*unknown) session.warn(fx::MatchCondition::unknownWarning(*unknown));
    fx::lintChange(before, *model);
    const RunOptions ofWorker;
    WorkerEngine engine(session, ofWorker);
    const auto failures = fx::refreshValues(before, *model, &engine);
    for (const fx::Warning& warning : fx::unknownValueWarnings(failures, model->graph)) session.warn(warning);
    if (!replaced.empty() && !options.save.output.empty()) saveModel(session, *model, options.save);
    if (session.json()) {
        fx::JsonWriter json;
        json.beginObject(fx::JsonWriter::Layout::Lines).key("replaced").beginArray(fx::JsonWriter::Layout::Lines);
        for (const auto& each : replaced) writeReplaced(json, model->graph, pattern.graph->graph, each);
        json.endArray();
        if (givenUp) json.key("given_up").integer(static_cast<std::int64_t>(givenUp));
        session.printLine(json.endObject().text());
    } else if (!options.show.empty()) {
        session.printExact(shownText(*model, options.show));
    } else {
        session.printLine(std::to_string(replaced.size()) + " replaced");
    }
    return replaced.empty() ? kAnswerIsNo : kDone;
}

Action declareReplace(CLI::App& cli) {
    auto options = std::make_shared<ReplaceOptions>();
    declareModel(cli, options->save.model);
    reads(cli.add_option("--pattern", options->pattern,
                         "FILE.py[:NAME], a function or nn.Module class (default NAME: pattern), or any MODEL"))
        ->required()
        ->type_name("P.py");
    reads(cli.add_option("--replacement", options->replacement,
                         "likewise for the replacement; default: replacement in the file of the pattern"))
        ->type_name("R.py");
    options->flags.declare(cli);
    options->save.declare(cli);
    declareShow(cli, options->show);
    return [options](Session& session) { return replace(session, *options); };
}

} // namespace

const Verb kReplaceVerb = {
    "replace", "replace the matches of a pattern",
    "lancet replace resources/samples/simple_net.pt --pattern resources/samples/patterns.py --show code",
    declareReplace};

} // namespace app
