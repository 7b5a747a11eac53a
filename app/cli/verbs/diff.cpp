// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/edit/diff.h"
#include "app/cli/session.h"
#include "app/cli/text_verb.h"
#include "app/cli/verbs.h"
#include "core/ir/print.h"

namespace app {
namespace {

struct Options {
    std::string a, b;
    fx::DiffOptions diff;
};

void writeNames(fx::JsonWriter& json, const fx::Graph& graph, const std::vector<fx::NodeId>& ids) {
    json.beginArray();
    for (const fx::NodeId id : ids) json.string(graph.node(id).name());
    json.endArray();
}

void writeChange(fx::JsonWriter& json, const std::string& a, const std::string& b,
                 const std::vector<fx::Aspect>& what) {
    json.beginObject().key("a").string(a).key("b").string(b).key("what").beginArray();
    for (const fx::Aspect aspect : what) json.string(fx::aspectName(aspect));
    json.endArray().endObject();
}

std::string diffJson(const fx::ModelDiff& diff, const fx::Graph& a, const fx::Graph& b) {
    constexpr auto kLines = fx::JsonWriter::Layout::Lines;
    fx::JsonWriter json;
    json.beginObject(kLines).key("added");
    writeNames(json, b, diff.added);
    json.key("removed");
    writeNames(json, a, diff.removed);
    json.key("changed").beginArray(kLines);
    for (const auto& change : diff.changed)
        writeChange(json, a.node(change.a).name(), b.node(change.b).name(), change.what);
    json.endArray();
    for (const bool tensors : {false, true}) {
        json.key(tensors ? "tensors" : "modules").beginArray(kLines);
        for (const auto& change : diff.tree)
            if (change.isTensor == tensors) writeChange(json, change.a, change.b, change.what);
        json.endArray();
    }
    json.key("no_counterpart").beginArray(kLines);
    for (const auto& orphan : diff.orphans)
        json.beginObject()
            .key("in")
            .string(orphan.inA ? "a" : "b")
            .key("kind")
            .string(orphan.kind)
            .key("path")
            .string(orphan.path)
            .endObject();
    return json.endArray().endObject().text();
}

/// `mul -> scaled: name, args`
std::string changeLine(const std::string& a, const std::string& b, const std::vector<fx::Aspect>& what) {
    std::string text = (a == b ? a : a + " -> " + b) + ": ";
    for (std::size_t i = 0; i < what.size(); ++i) text += (i ? ", " : "") + std::string(fx::aspectName(what[i]));
    return text + "\n";
}

std::string diffText(const fx::ModelDiff& diff, const fx::Graph& a, const fx::Graph& b) {
    if (diff.equal()) return "equal";
    std::string text;
    for (const fx::NodeId id : diff.removed) text += "- " + fx::formatNode(a, a.node(id)) + "\n";
    for (const fx::NodeId id : diff.added) text += "+ " + fx::formatNode(b, b.node(id)) + "\n";
    for (const auto& change : diff.changed)
        text += "~ " + changeLine(a.node(change.a).name(), b.node(change.b).name(), change.what);
    for (const auto& change : diff.tree)
        text += (change.isTensor ? "tensor " : "module ") +
                changeLine(change.a.empty() ? "(root)" : change.a, change.b.empty() ? "(root)" : change.b, change.what);
    for (const auto& orphan : diff.orphans)
        text += std::string("only in ") + (orphan.inA ? "A: " : "B: ") + std::string(orphan.kind) + " " + orphan.path +
                "\n";
    return text + std::to_string(diff.added.size()) + " added, " + std::to_string(diff.removed.size()) + " removed, " +
           std::to_string(diff.changed.size()) + " changed";
}

int diff(Session& session, const Options& options) {
    if (options.a == "-" && options.b == "-")
        throw fx::Error(fx::ErrorKind::Usage, "only one of the models can be standard input");
    const auto a = session.openWarning(options.a), b = session.openWarning(options.b);
    const fx::ModelDiff found = fx::diffModels(*a, *b, options.diff, session.progress());
    session.printLine(session.json() ? diffJson(found, a->graph, b->graph) : diffText(found, a->graph, b->graph));
    return found.equal() ? kDone : kAnswerIsNo;
}

Action declare(CLI::App& cli) {
    auto options = std::make_shared<Options>();
    cli.add_option("A", options->a, "first model; - for standard input")->required();
    cli.add_option("B", options->b, "second model")->required();
    cli.add_flag("--no-values{false}", options->diff.values, "skip the values of tensors");
    return [options](Session& session) { return diff(session, *options); };
}

} // namespace

const Verb kDiffVerb = {"diff", "compare two models",
                        "lancet diff resources/samples/simple_net.pt resources/samples/my_module.pt", declare};

} // namespace app
