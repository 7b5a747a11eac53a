// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/onednn/layer_times.h"

#include "core/base/python_text.h"
#include "core/json/json_document.h"
#include "core/json/json_writer.h"
#include "core/timing/statistics.h"

namespace fx::onednn {
namespace {

void writeNumber(JsonWriter& json, std::string_view key, double value) {
    std::string text;
    appendPythonFloat(text, value);
    json.key(key).raw(text);
}

void writeKernel(JsonWriter& json, std::string_view key, const std::optional<KernelTime>& time) {
    if (!time) return;
    json.key(key).beginObject();
    writeNumber(json, "ms", time->ms), writeNumber(json, "ratio", time->ratio.ratio);
    writeNumber(json, "low", time->ratio.ci95.low), writeNumber(json, "high", time->ratio.ci95.high);
    json.endObject();
}

std::optional<KernelTime> readKernel(JsonValue value) {
    if (!value.exists()) return std::nullopt;
    KernelTime out;
    out.ms = value.at("ms").asDouble(), out.ratio.ratio = value.at("ratio").asDouble();
    out.ratio.ci95 = {value.at("low").asDouble(), value.at("high").asDouble()};
    return out;
}

} // namespace

std::optional<Kernel> LayerTimes::fastest() const {
    if (!oneDnn && !mkl) return std::nullopt;
    return mkl && (!oneDnn || mkl->ms < oneDnn->ms) ? Kernel::Mkl : Kernel::OneDnn;
}

std::optional<Kernel> LayerTimes::best() const {
    std::optional<Kernel> best;
    for (const Kernel each : {Kernel::OneDnn, Kernel::Mkl})
        if (of(each) && timing::mayReplace(of(each)->ratio, rounds, noiseFloor) &&
            (!best || of(each)->ms < of(*best)->ms))
            best = each;
    return best;
}

void write(JsonWriter& json, const LayerTimes& times) {
    json.beginObject();
    writeNumber(json, "plain", times.plain);
    writeKernel(json, "onednn", times.oneDnn), writeKernel(json, "mkl", times.mkl);
    json.key("rounds").integer(static_cast<std::int64_t>(times.rounds));
    writeNumber(json, "noise_floor", times.noiseFloor);
    json.key("problem").string(times.problem).key("remembered").boolean(times.remembered).endObject();
}

LayerTimes readLayerTimes(JsonValue value) {
    LayerTimes out;
    out.plain = value.at("plain").asDouble();
    out.oneDnn = readKernel(value.find("onednn")), out.mkl = readKernel(value.find("mkl"));
    out.rounds = static_cast<std::size_t>(value.at("rounds").asInt());
    out.noiseFloor = value.at("noise_floor").asDouble();
    out.problem = std::string(value.at("problem").asText()), out.remembered = value.at("remembered").asBool();
    return out;
}

bool WholeTimes::hasTooFew() const { return rounds < timing::kFewestRounds; }
bool WholeTimes::isFaster() const { return timing::mayReplace(ratio, rounds, noiseFloor); }

} // namespace fx::onednn
