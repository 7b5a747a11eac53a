// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/layout/picture_json.h"

#include "core/json/json_writer.h"

#include <cstdio>

namespace fx {
namespace {

/// Hundredths of a pixel are enough.
void writeNumber(JsonWriter& json, double value) {
    char buffer[32];
    std::snprintf(buffer, sizeof buffer, "%.2f", value);
    json.raw(buffer);
}

void writeBox(JsonWriter& json, const Rect& rect) {
    const Point center = rect.center();
    for (const auto& [key, value] : {std::pair{"x", center.x}, {"y", center.y}, {"w", rect.w}, {"h", rect.h}}) {
        json.key(key);
        writeNumber(json, value);
    }
}

std::string nameOf(const NodeItem& item, const Graph& graph) {
    return graph.node(item.node).name() + (item.copy ? "@" + std::to_string(item.copy) : std::string());
}

/// Of the node or group that an edge's end names.
std::string endOf(std::uint32_t item, const Picture& picture, const Graph& graph) {
    return item < picture.nodes.size() ? nameOf(picture.nodes[item], graph)
                                       : picture.groups[item - picture.nodes.size()].path;
}

void writeEdge(JsonWriter& json, const EdgeItem& edge, const Picture& picture, const Graph& graph) {
    json.beginObject()
        .key("from")
        .string(endOf(edge.from, picture, graph))
        .key("to")
        .string(endOf(edge.to, picture, graph));
    json.key("points").beginArray();
    for (const Point& point : edge.points) {
        json.beginArray();
        writeNumber(json, point.x);
        writeNumber(json, point.y);
        json.endArray();
    }
    json.endArray().key("stub").boolean(edge.stub).endObject();
}

} // namespace

std::string toJson(const Picture& picture, const Graph& graph) {
    constexpr auto lines = JsonWriter::Layout::Lines;
    JsonWriter json;
    json.beginObject(lines).key("nodes").beginArray(lines);
    for (const NodeItem& node : picture.nodes) {
        json.beginObject().key("name").string(nameOf(node, graph));
        writeBox(json, node.rect);
        json.key("group");
        node.group == kNoGroup ? json.null() : json.string(picture.groups[node.group].path);
        json.endObject();
    }
    json.endArray().key("groups").beginArray(lines);
    for (const GroupItem& group : picture.groups) {
        json.beginObject().key("path").string(group.path);
        writeBox(json, group.rect);
        json.key("expanded").boolean(group.expanded).endObject();
    }
    json.endArray().key("edges").beginArray(lines);
    for (const EdgeItem& edge : picture.edges) writeEdge(json, edge, picture, graph);
    json.endArray().key("millis");
    writeNumber(json, picture.millis);
    json.key("engine").string(picture.engine);
    json.key("direction").string(picture.direction == Direction::LeftRight ? "LR" : "TB");
    return json.endObject().text();
}

} // namespace fx
