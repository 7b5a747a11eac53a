// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/edit_result.h"

#include "core/codegen/graph_json.h"
#include "core/json/message_json.h"
#include "core/shapes/node_shapes.h"

namespace app {
namespace {

std::vector<std::string> namesOf(const fx::Graph& graph, const std::vector<fx::NodeId>& ids) {
    std::vector<std::string> names;
    for (const fx::NodeId id : ids) names.push_back(graph.node(id).name());
    return names;
}

/// Numbers as numbers, symbolic sizes as texts.
void writeSizes(fx::JsonWriter& json, const std::vector<std::string>& sizes) {
    json.beginArray();
    for (const std::string& size : sizes) {
        if (size.find_first_not_of("0123456789") == size.npos && !size.empty()) json.raw(size);
        else json.string(size);
    }
    json.endArray();
}

void writeShapes(fx::JsonWriter& json, const fx::Graph& graph) {
    json.key("tensor_meta").beginArray(fx::JsonWriter::Layout::Lines);
    for (const fx::Node& node : graph.nodes()) {
        if (node.meta().values.empty()) continue;
        json.beginObject().key("node").string(node.name()).key("values").beginArray();
        for (const fx::ValueInfo& value : node.meta().values) {
            writeSizes(json.beginObject().key("shape"), value.sizes);
            json.key("dtype").string(value.dtype).key("requires_grad").boolean(value.requiresGrad);
            writeSizes(json.key("stride"), value.strides);
            json.key("memory_format");
            fx::writeTextOrNull(json, std::string(fx::memoryFormat(value)));
            json.endObject();
        }
        json.endArray().endObject();
    }
    json.endArray();
}

/// What passes say: the node, the text, its code and arguments.
void writeNotes(fx::JsonWriter& json, const fx::Warnings& notes) {
    json.key("report").beginArray(fx::JsonWriter::Layout::Lines);
    for (const fx::Warning& note : notes) {
        json.beginObject().key("node");
        fx::writeTextOrNull(json, note.node);
        json.key("what").string(note.what.text());
        fx::writeMessageData(json, note.what);
        json.endObject();
    }
    json.endArray();
}

} // namespace

EditNames editNames(const fx::Graph& before, const fx::Graph& after, const fx::EditEffect& effect) {
    return {namesOf(after, effect.created), namesOf(before, effect.erased), namesOf(after, effect.changed)};
}

std::string editResultJson(const EditNames& names, const std::string& written, bool verified,
                           const fx::Warnings& warnings, const fx::Graph* shapes, const fx::Warnings& notes) {
    fx::JsonWriter json;
    json.beginObject(fx::JsonWriter::Layout::Lines);
    for (const auto& [key, list] : {std::pair("created", &names.created), std::pair("erased", &names.erased),
                                    std::pair("changed", &names.changed)}) {
        json.key(key).strings(*list);
    }
    json.key("written");
    fx::writeTextOrNull(json, written);
    json.key("verified").boolean(verified);
    writeWarnings(json, warnings);
    if (shapes) writeShapes(json, *shapes);
    if (!notes.empty()) writeNotes(json, notes);
    return json.endObject().text();
}

} // namespace app
