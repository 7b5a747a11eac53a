// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/remote/quant_report.h"

#include "core/remote/json_fields.h"

#include <array>
#include <cmath>
#include <cstdio>
#include <limits>

namespace fx::remote {
namespace {

void writeLayer(JsonWriter& json, const LayerError& error) {
    json.beginObject().key("layer").string(error.layer).key("node").string(error.node);
    json.key("original").string(error.original);
    writeFinite(json, "sqnr_db", error.sqnr());
    writeFinite(json, "max_error", error.maxError);
    if (error.step) writeReal(json, "step", *error.step);
    else json.key("step").null();
    json.endObject();
}

} // namespace

void writeFinite(JsonWriter& json, std::string_view key, double value) {
    if (std::isfinite(value)) writeReal(json, key, value);
    else json.key(key).null();
}

void writeCalibration(JsonWriter& json, const Calibration& calibration) {
    json.key("batches").integer(static_cast<std::int64_t>(calibration.batches)).key("ranges");
    json.beginArray(JsonWriter::Layout::Lines);
    for (const ObserverState& each : calibration.observers) {
        json.beginObject().key("observer").string(each.path).key("values").integer(each.values);
        writeFinite(json, "min", each.least), writeFinite(json, "max", each.greatest);
        writeFinite(json, "scale", each.scale.value_or(std::numeric_limits<double>::quiet_NaN()));
        json.key("zero_point").integer(each.zeroPoint);
        writeFinite(json, "low", each.low), writeFinite(json, "high", each.high);
        json.key("saturated").integer(each.saturated);
        writeFinite(json, "saturated_share", each.saturatedShare());
        json.key("histogram").beginObject();
        writeFinite(json, "low", each.histogramLow), writeFinite(json, "high", each.histogramHigh);
        json.key("counts").integers(each.histogram);
        json.endObject().endObject();
    }
    json.endArray();
}

Warnings lostOutput(double sqnr) {
    constexpr double kLost = 3;
    if (sqnr >= kLost) return {};
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.1f", sqnr);
    return {{Message("quant.lost_output", {{"sqnr", text.data()}}), {}, {}, {}}};
}

void writeLayerErrors(JsonWriter& json, const LayerErrors& errors, double threshold) {
    json.key("layers").beginArray(JsonWriter::Layout::Lines);
    for (const LayerError& each : errors.layers) writeLayer(json, each);
    writeLayer(json.endArray().key("output"), errors.output);
    json.key("first_loss");
    if (const LayerError* first = errors.firstBelow(threshold)) json.string(first->layer);
    else json.null();
}

} // namespace fx::remote
