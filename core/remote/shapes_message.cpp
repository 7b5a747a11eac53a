// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/remote/shapes_message.h"

#include "core/json/message_json.h"
#include "core/remote/json_fields.h"

namespace fx::remote {
namespace {

void writeInfo(JsonWriter& json, const ValueInfo& info) {
    json.beginObject().key("dtype").string(info.dtype);
    writeTexts(json, "sizes", info.sizes);
    writeTexts(json, "strides", info.strides);
    json.key("grad").boolean(info.requiresGrad).endObject();
}

ValueInfo readInfo(JsonValue value) {
    ValueInfo out;
    out.dtype = readText(value, "dtype");
    out.sizes = readTexts(value, "sizes");
    out.strides = readTexts(value, "strides");
    out.requiresGrad = value.at("grad").asBool();
    out.device = "cpu";
    return out;
}

void writeFailure(JsonWriter& json, const ShapeFailure& failure) {
    json.beginObject().key("node").string(failure.node).key("what").string(failure.what.text());
    writeMessageData(json, failure.what);
    json.key("hint").string(failure.hint);
    json.key("needs_values")
        .boolean(failure.needsValues)
        .key("cause")
        .string(failure.cause)
        .key("operands")
        .beginArray();
    for (const ShapeOperand& operand : failure.operands) {
        json.beginObject().key("name").string(operand.name).key("origin").string(operand.origin).key("info");
        writeInfo(json, operand.info);
        json.endObject();
    }
    json.endArray().endObject();
}

ShapeFailure readFailure(JsonValue value) {
    ShapeFailure out;
    out.node = readText(value, "node"), out.what = readMessage(value, "what"), out.hint = readText(value, "hint");
    out.needsValues = value.at("needs_values").asBool(), out.cause = readText(value, "cause");
    for (const JsonValue operand : value.at("operands").needArray())
        out.operands.push_back({readText(operand, "name"), readInfo(operand.at("info")), readText(operand, "origin")});
    return out;
}

} // namespace

Frame toFrame(const ShapesRequest& request, std::uint32_t number, bool local) {
    return toFrame(request.run, number, local, "shapes", [&request](JsonWriter& json, Frame&) {
        json.key("gradients").boolean(request.gradients).key("may_run").boolean(request.mayRun);
    });
}

ShapesRequest shapesRequest(const Frame& frame) {
    const auto document = JsonDocument::parse(frame.json);
    return {runRequest(frame), document->root().at("gradients").asBool(), document->root().at("may_run").asBool()};
}

Frame toFrame(const NodeShapes& shapes, std::uint32_t number) {
    JsonWriter json;
    json.beginObject()
        .key("ran")
        .boolean(shapes.ran)
        .key("micros")
        .integer(static_cast<std::int64_t>(shapes.millis * 1000))
        .key("nodes")
        .beginArray();
    for (const auto& [name, infos] : shapes.nodes) {
        json.beginObject().key("name").string(name).key("values").beginArray();
        for (const ValueInfo& info : infos) writeInfo(json, info);
        json.endArray().endObject();
    }
    json.endArray().key("failures").beginArray();
    for (const ShapeFailure& failure : shapes.failures) writeFailure(json, failure);
    json.endArray().endObject();
    return {FrameKind::Result, number, json.text(), {}, {}};
}

NodeShapes shapesResult(const Frame& frame) {
    const auto document = JsonDocument::parse(frame.json);
    const JsonValue root = document->root();
    NodeShapes out;
    out.ran = root.at("ran").asBool();
    out.millis = static_cast<double>(root.at("micros").asInt()) / 1000;
    for (const JsonValue node : root.at("nodes").needArray()) {
        auto& [name, infos] = out.nodes.emplace_back(node.at("name").asText(), std::vector<ValueInfo>());
        for (const JsonValue info : node.at("values").needArray()) infos.push_back(readInfo(info));
    }
    for (const JsonValue failure : root.at("failures").needArray()) out.failures.push_back(readFailure(failure));
    return out;
}

} // namespace fx::remote
