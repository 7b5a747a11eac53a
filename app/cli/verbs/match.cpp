// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/pattern_file.h"
#include "app/cli/text_verb.h"
#include "app/cli/verbs.h"
#include "core/base/counted.h"
#include "core/edit/match_condition.h"
#include "core/json/message_json.h"
#include "core/match/near_miss.h"

namespace app {
namespace {

struct MatchOptions {
    std::string model, pattern;
    MatchFlags flags;
    bool matchOutput = false, matchPlaceholder = false, keepOverlapping = false, explain = false;
    std::size_t limit = 10;
};

using Bindings = std::vector<fx::Binding>;

void writeBindings(fx::JsonWriter& json, const char* key, const fx::Graph& graph, const Bindings& bindings) {
    json.key(key).beginArray();
    for (const fx::Binding& binding : bindings) writeBinding(json, graph, binding);
    json.endArray();
}

bool isListed(const fx::Node& patternNode) {
    return patternNode.op() != fx::Op::Placeholder && patternNode.op() != fx::Op::Output;
}

void writeMatch(fx::JsonWriter& json, const fx::Graph& graph, const fx::Graph& pattern,
                const fx::InternalMatch& match) {
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

void writeNode(fx::JsonWriter& json, const char* key, const fx::Graph& graph, fx::NodeId node) {
    json.key(key);
    if (node == fx::kNoNode) json.null();
    else json.string(graph.node(node).name());
}

void writeMismatch(fx::JsonWriter& json, const fx::Graph& graph, const fx::Graph& pattern,
                   const fx::Mismatch& mismatch) {
    writeNode(json, "pattern_node", pattern, mismatch.patternNode);
    writeNode(json, "graph_node", graph, mismatch.graphNode);
    json.key("rule").string(fx::ruleName(mismatch.rule)).key("why").string(mismatch.why.text());
    fx::writeMessageData(json, mismatch.why);
}

void writeNearMiss(fx::JsonWriter& json, const fx::Graph& graph, const fx::Graph& pattern, const fx::NearMiss& miss) {
    json.beginObject();
    writeNode(json, "anchor", graph, miss.anchor);
    json.key("matched")
        .integer(static_cast<std::int64_t>(miss.matched))
        .key("of")
        .integer(static_cast<std::int64_t>(miss.of));
    writeMismatch(json, graph, pattern, miss.mismatches.front());
    json.key("relax").beginArray();
    for (const auto& relaxations : miss.relax) json.string(fx::relaxationText(pattern, relaxations));
    json.endArray().key("mismatches").beginArray();
    for (const auto& mismatch : miss.mismatches) {
        json.beginObject();
        writeMismatch(json, graph, pattern, mismatch);
        json.endObject();
    }
    json.endArray().endObject();
}

std::string textOf(const fx::Graph& graph, const fx::Graph& pattern, const fx::NearMiss& miss) {
    std::string text = "\nnearly at " + graph.node(miss.anchor).name() + ": " + std::to_string(miss.matched) + " of " +
                       std::to_string(miss.of);
    for (const auto& mismatch : miss.mismatches) {
        text += std::string("\n    ") + std::string(fx::ruleName(mismatch.rule)) + ": " +
                pattern.node(mismatch.patternNode).name();
        if (mismatch.graphNode != fx::kNoNode) text += ", " + graph.node(mismatch.graphNode).name();
        text += ": " + mismatch.why.text();
    }
    for (const auto& relaxations : miss.relax)
        text += "\n    matches with --relax " + fx::relaxationText(pattern, relaxations);
    return text;
}

std::string textOf(const fx::Graph& graph, const fx::Graph& pattern, const std::vector<fx::InternalMatch>& matches) {
    std::string text = fx::counted(matches.size(), "match", "matches");
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

int match(Session& session, const MatchOptions& options) {
    const auto model = session.json() ? session.open(options.model) : session.openWarning(options.model);
    const PatternFile pattern = openPattern(session, *model, options.pattern, "pattern");
    fx::MatcherOptions how{options.matchOutput, options.matchPlaceholder, !options.keepOverlapping, false, {}, {}};
    options.flags.apply(how, pattern.graph->graph);
    std::size_t givenUp = 0;
    auto matches = fx::SubgraphMatcher(*pattern.graph, how).match(*model, session.progress(), &givenUp);
    if (givenUp) session.warn(fx::gaveUp(givenUp));
    const auto unknown = std::make_shared<std::size_t>();
    for (const auto& filter : options.flags.matchFilters(*pattern.graph, unknown))
        std::erase_if(matches, [&](const fx::InternalMatch& each) { return !filter(each, *model, *pattern.graph); });
    if (*unknown) session.warn(fx::MatchCondition::unknownWarning(*unknown));
    std::vector<fx::NearMiss> misses;
    if (options.explain) misses = fx::explain(*model, *pattern.graph, how, options.limit, session.progress());
    if (session.json()) {
        fx::JsonWriter json;
        json.beginObject(fx::JsonWriter::Layout::Lines).key("matches").beginArray(fx::JsonWriter::Layout::Lines);
        for (const auto& each : matches) writeMatch(json, model->graph, pattern.graph->graph, each);
        json.endArray().key("near_misses").beginArray(fx::JsonWriter::Layout::Lines);
        for (const auto& each : misses) writeNearMiss(json, model->graph, pattern.graph->graph, each);
        json.endArray();
        if (givenUp) json.key("given_up").integer(static_cast<std::int64_t>(givenUp));
        session.printLine(json.endObject().text());
    } else {
        std::string text = textOf(model->graph, pattern.graph->graph, matches);
        for (const auto& each : misses) text += textOf(model->graph, pattern.graph->graph, each);
        session.printLine(text);
    }
    return matches.empty() ? kAnswerIsNo : kDone;
}

Action declareMatch(CLI::App& cli) {
    auto options = std::make_shared<MatchOptions>();
    declareModel(cli, options->model);
    cli.add_option("--pattern", options->pattern,
                   "FILE.py[:NAME], a function or nn.Module class (default NAME: pattern), or any MODEL")
        ->required()
        ->type_name("P.py");
    options->flags.declare(cli);
    cli.add_flag("--match-output", options->matchOutput, "match the output of the pattern, too");
    cli.add_flag("--match-placeholder", options->matchPlaceholder, "match inputs of the pattern only to inputs");
    cli.add_flag("--keep-overlapping", options->keepOverlapping, "keep matches that share nodes");
    cli.add_flag("--explain", options->explain,
                 "also list near misses, their reasons, and relaxations that make them match");
    cli.add_option("--limit", options->limit, "maximum number of near misses")->type_name("N")->capture_default_str();
    return [options](Session& session) { return match(session, *options); };
}

} // namespace

const Verb kMatchVerb = {"match", "find the matches of a pattern",
                         "lancet match resources/samples/simple_net.pt --pattern resources/samples/patterns.py",
                         declareMatch};

} // namespace app
