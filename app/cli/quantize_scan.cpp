// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/quantize_scan.h"

#include "core/files/read_text.h"
#include "core/files/replaced_file.h"
#include "core/quant/measure/one_layer.h"
#include "core/quant/qconfig_json.h"
#include "core/remote/quant_report.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>

namespace app {
namespace {

using fx::quant::LayerSensitivity;
using fx::quant::SensitivityScan;

SensitivityScan keptScan(const std::string& file, const std::vector<std::string>& layers) {
    if (file.empty() || !std::filesystem::exists(file)) return {};
    SensitivityScan scan;
    try {
        scan = fx::quant::scanFromJson(fx::JsonDocument::parse(fx::readTextFile(file))->root());
    } catch (fx::Error& error) {
        error.in(file);
        throw;
    }
    for (const LayerSensitivity& each : scan.done)
        if (std::find(layers.begin(), layers.end(), each.layer) == layers.end())
            throw fx::Error(fx::ErrorKind::Refused, fx::Message("quant.other_scan", {{"layer", each.layer}})).in(file);
    return scan;
}

void keep(const std::string& path, const SensitivityScan& scan) {
    fx::ReplacedFile file(path);
    file.write(fx::quant::toJson(scan) + "\n");
    file.commit();
}

/// Relative error of the output when the model is quantised by these rules.
double noiseOf(const Session& session, const ScannedModel& model, WorkerQuantEngine& engine,
               const fx::quant::QConfigMapping& mapping) {
    using namespace fx::quant;
    PreparedModel prepared = prepare(*model.original, mapping, model.options);
    if (model.observes) engine.calibrate(prepared.model, model.batches, session.progress());
    const auto quantised = std::make_shared<const fx::GraphModule>(convert(prepared, {}, &engine));
    return engine.engine()
        .layerErrors(model.original, quantised, model.batches, session.progress())
        .output.relativeNoise();
}

/// Proposes by the sum of the layers' noise. What else is quantised and how errors meet is not in it: the proposed
/// model is measured, and proposed again with what it lacks.
void propose(const Session& session, double budget, const ScannedModel& model, WorkerQuantEngine& engine,
             LayerScan& out) {
    constexpr int kAttempts = 8;
    double target = budget;
    for (int i = 0; i < kAttempts; ++i) {
        session.progress().report("checking the proposal", static_cast<double>(i) / kAttempts);
        out.proposal = fx::quant::withinError(out.sensitivity, target);
        out.mapping = fx::quant::withoutLayers(model.prepared, out.proposal->kept);
        out.sqnr = fx::quant::sqnrOf(noiseOf(session, model, engine, out.mapping));
        out.proposal->meetsBudget = out.sqnr >= budget;
        if (out.proposal->meetsBudget || out.proposal->quantised.empty()) return;
        target += std::isfinite(out.sqnr) ? budget - out.sqnr : budget;
    }
}

std::string decibels(double sqnr) {
    if (std::isinf(sqnr)) return sqnr > 0 ? "no change" : "lost";
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.1f dB", sqnr);
    return text.data();
}

} // namespace

LayerScan scanLayers(const Session& session, const QuantizeRequest& request, const ScannedModel& model,
                     WorkerQuantEngine& engine) {
    const std::vector<std::string> layers = fx::quant::quantisedLayers(model.prepared);
    if (layers.empty()) throw fx::Error(fx::ErrorKind::Refused, fx::Message("quant.no_layers"));
    LayerScan out;
    out.sensitivity = keptScan(request.resume, layers);
    engine.engine().setDetails(false);
    fx::quant::continueScan(
        out.sensitivity, layers,
        [&](const std::string& layer) {
            const auto done = static_cast<double>(out.sensitivity.done.size());
            session.progress().report("scanning " + layer, done / static_cast<double>(layers.size()));
            const double noise = noiseOf(session, model, engine, fx::quant::onlyLayers(model.prepared, {layer}));
            return LayerSensitivity{layer, noise, {}};
        },
        [&](const SensitivityScan& scan) {
            if (!request.resume.empty()) keep(request.resume, scan);
        });
    if (request.errorBudget) propose(session, *request.errorBudget, model, engine, out);
    return out;
}

void writeScan(fx::JsonWriter& json, const LayerScan& scan) {
    json.key("sensitivity").beginArray(fx::JsonWriter::Layout::Lines);
    for (const LayerSensitivity& each : scan.sensitivity.done) {
        json.beginObject().key("layer").string(each.layer);
        fx::remote::writeFinite(json, "noise", each.noise);
        fx::remote::writeFinite(json, "sqnr_db", each.sqnr());
        json.endObject();
    }
    json.endArray();
    if (!scan.proposal) return;
    const auto names = [&](const char* key, const std::vector<std::string>& layers) {
        json.key(key).beginArray();
        for (const std::string& layer : layers) json.string(layer);
        json.endArray();
    };
    json.key("proposal").beginObject(fx::JsonWriter::Layout::Lines);
    names("quantised", scan.proposal->quantised), names("kept", scan.proposal->kept);
    fx::remote::writeFinite(json, "sqnr_db", scan.sqnr);
    json.key("meets_budget").boolean(scan.proposal->meetsBudget);
    json.key("qconfig").raw("{\"base\": \"none\", " + fx::quant::toJson(scan.mapping).substr(1)).endObject();
}

std::string scanText(const LayerScan& scan) {
    std::vector<const LayerSensitivity*> order;
    std::size_t width = 0;
    for (const LayerSensitivity& each : scan.sensitivity.done)
        order.push_back(&each), width = std::max(width, each.layer.size());
    std::stable_sort(order.begin(), order.end(), [](const auto* a, const auto* b) { return a->noise > b->noise; });
    std::string text;
    for (const LayerSensitivity* each : order)
        text += each->layer + std::string(width - each->layer.size() + 2, ' ') + decibels(each->sqnr()) + "\n";
    if (!scan.proposal) return text;
    text += "quantise " + std::to_string(scan.proposal->quantised.size()) + " of " + std::to_string(order.size()) +
            " layers: " + decibels(scan.sqnr);
    for (const std::string& layer : scan.proposal->kept) text += "\nkeep " + layer + " in floating point";
    return text + "\n";
}

} // namespace app
