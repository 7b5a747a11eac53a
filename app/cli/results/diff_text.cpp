// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/results/diff_text.h"

#include "core/base/visible_text.h"
#include "core/ir/print.h"
#include "core/json/json_writer.h"

namespace app {
namespace {

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

/// `mul -> scaled: name, args`
std::string changeLine(const std::string& a, const std::string& b, const std::vector<fx::Aspect>& what) {
    std::string text = (a == b ? a : a + " -> " + b) + ": ";
    for (std::size_t i = 0; i < what.size(); ++i) text += (i ? ", " : "") + std::string(fx::aspectName(what[i]));
    return text;
}

} // namespace

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

std::vector<std::string> diffLines(const fx::ModelDiff& diff, const fx::Graph& a, const fx::Graph& b) {
    std::vector<std::string> lines;
    for (const fx::NodeId id : diff.removed) lines.push_back("- " + fx::formatNode(a, a.node(id)));
    for (const fx::NodeId id : diff.added) lines.push_back("+ " + fx::formatNode(b, b.node(id)));
    for (const auto& change : diff.changed)
        lines.push_back("~ " + changeLine(a.node(change.a).name(), b.node(change.b).name(), change.what));
    for (const auto& change : diff.tree)
        lines.push_back((change.isTensor ? "tensor " : "module ") + changeLine(change.a.empty() ? "(root)" : change.a,
                                                                               change.b.empty() ? "(root)" : change.b,
                                                                               change.what));
    for (const auto& orphan : diff.orphans)
        lines.push_back(std::string("only in ") + (orphan.inA ? "A: " : "B: ") + std::string(orphan.kind) + " " +
                        orphan.path);
    for (std::string& line : lines) line = fx::visibleName(line);
    return lines;
}

std::string diffCounts(const fx::ModelDiff& diff) {
    if (diff.equal()) return "equal";
    return std::to_string(diff.added.size()) + " added, " + std::to_string(diff.removed.size()) + " removed, " +
           std::to_string(diff.changed.size()) + " changed";
}

} // namespace app
