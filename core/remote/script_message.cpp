// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/remote/script_message.h"

namespace fx::remote {

Frame describeScriptFrame(const std::string& path, std::uint32_t number) {
    JsonWriter json;
    json.beginObject().key("verb").string("script").key("model").string(path).endObject();
    return {FrameKind::Request, number, json.text(), {}, {}};
}

std::string scriptPath(const Frame& frame) {
    return std::string(JsonDocument::parse(frame.json)->root().at("model").asText());
}

Frame toFrame(const ScriptDescription& description, std::uint32_t number) {
    JsonWriter json;
    json.beginObject().key("class").string(description.className).key("methods").beginArray();
    for (const auto& [name, graph] : description.methods)
        json.beginObject().key("name").string(name).key("graph").string(graph).endObject();
    json.endArray().key("tensors").beginArray();
    for (const ScriptDescription::Tensor& tensor : description.tensors) {
        json.beginObject()
            .key("path")
            .string(tensor.path)
            .key("dtype")
            .string(tensor.dtype)
            .key("parameter")
            .boolean(tensor.isParameter)
            .key("sizes")
            .beginArray();
        for (const std::int64_t size : tensor.sizes) json.integer(size);
        json.endArray().endObject();
    }
    json.endArray().endObject();
    return {FrameKind::Result, number, json.text(), {}, {}};
}

ScriptDescription scriptDescription(const Frame& frame) {
    const auto document = JsonDocument::parse(frame.json);
    ScriptDescription out;
    out.className = document->root().at("class").asText();
    for (const JsonValue method : document->root().at("methods").needArray())
        out.methods.push_back({std::string(method.at("name").asText()), std::string(method.at("graph").asText())});
    for (const JsonValue row : document->root().at("tensors").needArray()) {
        ScriptDescription::Tensor tensor{std::string(row.at("path").asText()),
                                         std::string(row.at("dtype").asText()),
                                         {},
                                         row.at("parameter").asBool()};
        for (const JsonValue size : row.at("sizes").needArray()) tensor.sizes.push_back(size.asInt());
        out.tensors.push_back(std::move(tensor));
    }
    return out;
}

} // namespace fx::remote
