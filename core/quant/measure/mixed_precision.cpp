// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/quant/measure/mixed_precision.h"

#include "core/base/python_text.h"
#include "core/json/json_writer.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <numeric>

namespace fx::quant {
namespace {

double savedBy(const LayerSensitivity& layer) { return layer.savedMs.value_or(1); }

/// Layers by noise for the time that they save, the cheapest first; those that save nothing come last.
std::vector<std::size_t> cheapestFirst(const SensitivityScan& scan) {
    std::vector<std::size_t> order(scan.done.size());
    std::iota(order.begin(), order.end(), 0);
    const auto cost = [&](std::size_t place) {
        const LayerSensitivity& layer = scan.done[place];
        const double saved = savedBy(layer);
        return saved > 0 ? layer.noise / saved : std::numeric_limits<double>::infinity();
    };
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return cost(a) < cost(b); });
    return order;
}

MixedPrecision chosen(const SensitivityScan& scan, const std::vector<bool>& quantised) {
    MixedPrecision out;
    for (std::size_t i = 0; i < scan.done.size(); ++i) {
        const LayerSensitivity& layer = scan.done[i];
        (quantised[i] ? out.quantised : out.kept).push_back(layer.layer);
        if (!quantised[i]) continue;
        out.noise += layer.noise;
        out.savedMs += layer.savedMs.value_or(0);
    }
    return out;
}

std::string realText(double value) {
    std::string text;
    appendPythonFloat(text, value);
    return text;
}

} // namespace

double sqnrOf(double noise) { return noise > 0 ? -10 * std::log10(noise) : std::numeric_limits<double>::infinity(); }
double LayerSensitivity::sqnr() const { return sqnrOf(noise); }

bool SensitivityScan::has(std::string_view layer) const {
    return std::any_of(done.begin(), done.end(), [&](const LayerSensitivity& each) { return each.layer == layer; });
}

std::string toJson(const SensitivityScan& scan, std::string_view of) {
    JsonWriter json;
    json.beginObject();
    if (!of.empty()) json.key("of").string(of);
    json.key("sensitivity").beginArray();
    for (const LayerSensitivity& each : scan.done) {
        json.beginObject().key("layer").string(each.layer).key("noise");
        // JSON has no infinities
        std::isfinite(each.noise) ? json.raw(realText(each.noise)) : json.string(realText(each.noise));
        if (each.savedMs) json.key("saved_ms").raw(realText(*each.savedMs));
        json.endObject();
    }
    return json.endArray().endObject().text();
}

SensitivityScan scanFromJson(JsonValue json) {
    SensitivityScan out;
    for (const JsonValue row : json.at("sensitivity").needArray()) {
        LayerSensitivity each;
        each.layer = row.at("layer").asText();
        const JsonValue noise = row.at("noise");
        each.noise = noise.isString() ? std::strtod(std::string(noise.asText()).c_str(), nullptr) : noise.asDouble();
        if (const JsonValue saved = row.find("saved_ms"); saved.exists()) each.savedMs = saved.asDouble();
        out.done.push_back(std::move(each));
    }
    return out;
}

void continueScan(SensitivityScan& scan, std::span<const std::string> layers,
                  const std::function<LayerSensitivity(const std::string&)>& measure,
                  const std::function<void(const SensitivityScan&)>& measured) {
    for (const std::string& layer : layers) {
        if (scan.has(layer)) continue;
        scan.done.push_back(measure(layer));
        if (measured) measured(scan);
    }
}

MixedPrecision withinError(const SensitivityScan& scan, double leastSqnr) {
    const double budget = std::pow(10, -leastSqnr / 10);
    std::vector<bool> quantised(scan.done.size());
    double noise = 0;
    for (const std::size_t place : cheapestFirst(scan)) {
        const LayerSensitivity& layer = scan.done[place];
        if (savedBy(layer) <= 0 || !(noise + layer.noise <= budget)) continue;
        quantised[place] = true;
        noise += layer.noise;
    }
    return chosen(scan, quantised);
}

} // namespace fx::quant
