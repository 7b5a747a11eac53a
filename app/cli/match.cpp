// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/pattern_file.h"
#include "app/cli/text_verb.h"
#include "app/cli/verbs.h"

namespace app {
namespace {

struct Options {
    std::string model, pattern;
    MatchFlags flags;
    bool matchOutput = false, matchPlaceholder = false, keepOverlapping = false;
};

using Bindings = std::vector<fx::Binding>;

void writeBindings(fx::JsonWriter& json, const char* key, const fx::Graph& graph, const Bindings& bindings) {
    json.key(key).beginArray();
    for (const fx::Binding& binding : bindings) writeBinding(json, graph, binding);
    json.endArray();
}

bool isListed(const fx::Node& patternNode) { return patternNode.op() != fx::Op::Placeholder && patternNode.op() != fx::Op::Output; }

void writeMatch(fx::JsonWriter& json, const fx::Graph& graph, const fx::Graph& pattern, const fx::InternalMatch& match) {
    json.beginObject();
    Bindings anchors;
    for (const fx::NodeId anchor : match.anchors)
        if (const auto* bound = match.find(anchor)) anchors.push_back(*bound);
    writeBindings(json, "anchors", graph, anchors);
    json.key("nodes").beginObject();
    for (const auto& [node, bound] : match.nodesMap) {
        if (!isListed(pattern.node(node))) continue;
        json.key(pattern.node(node).name());
        writeBinding(json, graph, bound);
    }
    json.endObject();
    writeBindings(json, "placeholders", graph, match.placeholderNodes);
    writeBindings(json, "returning", graph, match.returningNodes);
    json.endObject();
}

std::string textOf(const fx::Graph& graph, const fx::Graph& pattern, const std::vector<fx::InternalMatch>& matches) {
    std::string text = std::to_string(matches.size()) + (matches.size() == 1 ? " match" : " matches");
    for (const auto& match : matches) {
        text += '\n';
        const char* separator = "";
        for (const auto& [node, bound] : match.nodesMap) {
            if (!isListed(pattern.node(node)) || !bound.value.isNode()) continue;
            text += separator + pattern.node(node).name() + " = " + graph.node(bound.value.node()).name();
            separator = ", ";
        }
    }
    return text;
}

int match(Session& session, const Options& options) {
    const PatternFile pattern = openPattern(session, options.pattern, "pattern");
    const auto model = session.json() ? session.open(options.model) : session.openWarning(options.model);
    const fx::SubgraphMatcher matcher(*pattern.graph, {options.matchOutput, options.matchPlaceholder, !options.keepOverlapping,
                                                       options.flags.ignoreLiterals, {}, options.flags.relaxations()});
    const auto matches = matcher.match(*model, session.progress());
    if (session.json()) {
        fx::JsonWriter json;
        json.beginObject(fx::JsonWriter::Layout::Lines).key("matches").beginArray(fx::JsonWriter::Layout::Lines);
        for (const auto& each : matches) writeMatch(json, model->graph, pattern.graph->graph, each);
        json.endArray().key("near_misses").beginArray().endArray();
        session.printLine(json.endObject().text());
    } else {
        session.printLine(textOf(model->graph, pattern.graph->graph, matches));
    }
    return matches.empty() ? kAnswerIsNo : kDone;
}

Action declare(CLI::App& cli) {
    auto options = std::make_shared<Options>();
    declareModel(cli, options->model);
    cli.add_option("--pattern", options->pattern, "FILE.py[:NAME], a function named pattern unless NAME says otherwise; or any MODEL")
        ->required()->type_name("P.py");
    options->flags.declare(cli);
    cli.add_flag("--match-output", options->matchOutput, "the pattern's output is part of it");
    cli.add_flag("--match-placeholder", options->matchPlaceholder, "the pattern's inputs match inputs only");
    cli.add_flag("--keep-overlapping", options->keepOverlapping, "matches may share nodes");
    return [options](Session& session) { return match(session, *options); };
}

} // namespace

const Verb kMatchVerb = {"match", "find a pattern's matches", "lancet match resources/samples/simple_net.pt --pattern resources/samples/patterns.py", declare};

} // namespace app
