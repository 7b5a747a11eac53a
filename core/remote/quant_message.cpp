// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/remote/quant_message.h"

#include "core/remote/json_fields.h"
#include "core/remote/tree_json.h"

namespace fx::remote {

Frame toFrame(const CalibrateRequest& request, std::uint32_t number, bool local) {
    return toFrame(request.run, number, local, "calibrate", [&](JsonWriter& json, Frame&) {
        json.key("draws").integer(static_cast<std::int64_t>(request.draws)).key("details").boolean(request.details);
    });
}

CalibrateRequest calibrateRequest(const Frame& frame) {
    const auto document = JsonDocument::parse(frame.json);
    CalibrateRequest out;
    out.run = runRequest(frame);
    out.draws = static_cast<std::size_t>(document->root().at("draws").asInt());
    out.details = document->root().at("details").asBool();
    return out;
}

Frame toFrame(const Calibration& calibration, std::uint32_t number) {
    TreeWriter trees(TreeWriter::Files::AsBytes);
    JsonWriter json;
    json.beginObject().key("batches").integer(static_cast<std::int64_t>(calibration.batches));
    writeTexts(json, "guessed", calibration.guessed);
    json.key("observers").beginArray();
    for (const ObserverState& each : calibration.observers) {
        json.beginObject().key("path").string(each.path).key("buffers").beginArray();
        for (const auto& [name, tensor] : each.buffers) {
            json.beginArray().string(name);
            trees.write(json, ValueTree::of(tensor));
            json.endArray();
        }
        json.endArray().key("values").integer(each.values).key("saturated").integer(each.saturated);
        writeReal(json, "least", each.least), writeReal(json, "greatest", each.greatest);
        if (each.scale) writeReal(json, "scale", *each.scale);
        json.key("zero_point").integer(each.zeroPoint);
        writeReal(json, "low", each.low), writeReal(json, "high", each.high);
        writeReal(json, "histogram_low", each.histogramLow), writeReal(json, "histogram_high", each.histogramHigh);
        writeIntegers(json, "histogram", each.histogram);
        json.endObject();
    }
    json.endArray().key("buffers").beginArray();
    for (const auto& [path, tensor] : calibration.buffers) {
        json.beginArray().string(path);
        trees.write(json, ValueTree::of(tensor));
        json.endArray();
    }
    json.endArray();
    trees.writeTables(json);
    return {FrameKind::Result, number, json.endObject().text(), trees.blob(), {}};
}

namespace {

std::vector<std::pair<std::string, TensorPtr>> readBuffers(const JsonValue& from, const TreeReader& trees) {
    std::vector<std::pair<std::string, TensorPtr>> out;
    for (const JsonValue buffer : from.at("buffers").needArray()) {
        auto item = buffer.needArray().begin();
        std::string name((*item).asText());
        ++item;
        out.emplace_back(std::move(name), trees.read(*item).tensor);
    }
    return out;
}

} // namespace

Calibration calibrationOf(const Frame& frame) {
    const auto document = JsonDocument::parse(frame.json);
    const TreeReader trees(document->root(), frame.blob);
    Calibration out;
    out.batches = static_cast<std::size_t>(document->root().at("batches").asInt());
    out.guessed = readTexts(document->root(), "guessed");
    for (const JsonValue row : document->root().at("observers").needArray()) {
        ObserverState each;
        each.path = readText(row, "path");
        each.buffers = readBuffers(row, trees);
        each.values = row.at("values").asInt(), each.saturated = row.at("saturated").asInt();
        each.least = readReal(row, "least"), each.greatest = readReal(row, "greatest");
        if (row.find("scale").exists()) each.scale = readReal(row, "scale");
        each.zeroPoint = row.at("zero_point").asInt();
        each.low = readReal(row, "low"), each.high = readReal(row, "high");
        each.histogramLow = readReal(row, "histogram_low"), each.histogramHigh = readReal(row, "histogram_high");
        each.histogram = readIntegers(row, "histogram");
        out.observers.push_back(std::move(each));
    }
    out.buffers = readBuffers(document->root(), trees);
    return out;
}

} // namespace fx::remote
