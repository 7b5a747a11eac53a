// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/remote/layer_error_message.h"

#include "core/quant/measure/mixed_precision.h"
#include "core/remote/json_fields.h"

#include <algorithm>
#include <limits>

namespace fx::remote {
namespace {

void writeError(JsonWriter& json, const LayerError& each) {
    json.beginObject().key("node").string(each.node).key("original").string(each.original);
    json.key("layer").string(each.layer).key("values").integer(each.values);
    writeReal(json, "signal", each.signal), writeReal(json, "noise", each.noise);
    writeReal(json, "max_error", each.maxError);
    if (each.step) writeReal(json, "step", *each.step);
    json.endObject();
}

LayerError readError(JsonValue row) {
    LayerError out;
    out.node = readText(row, "node"), out.original = readText(row, "original"), out.layer = readText(row, "layer");
    out.values = row.at("values").asInt();
    out.signal = readReal(row, "signal"), out.noise = readReal(row, "noise");
    out.maxError = readReal(row, "max_error");
    if (row.find("step").exists()) out.step = readReal(row, "step");
    return out;
}

} // namespace

double LayerError::relativeNoise() const {
    if (noise == 0) return 0;
    return signal > 0 ? noise / signal : std::numeric_limits<double>::infinity();
}
double LayerError::sqnr() const { return quant::sqnrOf(relativeNoise()); }

const LayerError* LayerErrors::firstBelow(double sqnr) const {
    const auto found =
        std::find_if(layers.begin(), layers.end(), [&](const LayerError& each) { return !(each.sqnr() >= sqnr); });
    return found == layers.end() ? nullptr : &*found;
}

Frame toFrame(const LayerErrorsRequest& request, std::uint32_t number, bool local) {
    return toFrame(request.run, number, local, "layer_errors", [&](JsonWriter& json, Frame& frame) {
        writeModel(json.key("other"), request.other, frame);
        json.key("draws").integer(static_cast<std::int64_t>(request.draws));
    });
}

LayerErrorsRequest layerErrorsRequest(const Frame& frame) {
    const auto document = JsonDocument::parse(frame.json);
    LayerErrorsRequest out;
    out.run = runRequest(frame);
    out.other = readModel(document->root().at("other"));
    out.draws = static_cast<std::size_t>(document->root().at("draws").asInt());
    return out;
}

Frame toFrame(const LayerErrors& errors, std::uint32_t number) {
    JsonWriter json;
    json.beginObject().key("layers").beginArray();
    for (const LayerError& each : errors.layers) writeError(json, each);
    writeError(json.endArray().key("output"), errors.output);
    return {FrameKind::Result, number, json.endObject().text(), {}, {}};
}

LayerErrors layerErrorsOf(const Frame& frame) {
    const auto document = JsonDocument::parse(frame.json);
    LayerErrors out;
    for (const JsonValue row : document->root().at("layers").needArray()) out.layers.push_back(readError(row));
    out.output = readError(document->root().at("output"));
    return out;
}

} // namespace fx::remote
