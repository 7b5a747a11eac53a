// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/remote/quantising.h"

#include "core/quant/convert.h"
#include "core/quant/measure/one_layer.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace fx::remote {
namespace {

using quant::LayerSensitivity;
using quant::SensitivityScan;

void requireLayers(const SensitivityScan& scan, const std::vector<std::string>& layers) {
    if (layers.empty()) throw Error(ErrorKind::Refused, Message("quant.no_layers"));
    for (const LayerSensitivity& each : scan.done)
        if (std::find(layers.begin(), layers.end(), each.layer) == layers.end())
            throw Error(ErrorKind::Refused, Message("quant.other_scan", {{"layer", each.layer}}));
}

/// Relative error of the output when the model is quantised by these rules.
double noiseOf(const Quantisation& of, const quant::QConfigMapping& mapping, QuantWorker& worker,
               const Progress& progress) {
    quant::PreparedModel prepared = quant::prepare(*of.model, mapping, of.options);
    if (of.observes) worker.calibrate(prepared.model, of.batches, progress);
    const auto quantised = std::make_shared<const GraphModule>(quant::convert(prepared, {}, &worker));
    return worker.layerErrors(of.model, quantised, of.batches, progress).output.relativeNoise();
}

/// Proposes by the sum of the layers' noise. What else is quantised and how errors meet is not in it: the proposed
/// model is measured, and proposed again with at least one layer less, in growing steps; at last with none.
void propose(const Quantisation& of, const quant::PreparedModel& prepared, double budget, QuantWorker& worker,
             const Progress& progress, LayerScan& out) {
    constexpr int kAttempts = 8;
    constexpr double kEverything = std::numeric_limits<double>::infinity();
    double target = budget;
    for (int i = 0; i < kAttempts; ++i) {
        progress.report("checking the proposal", static_cast<double>(i) / kAttempts);
        out.proposal = quant::withinError(out.sensitivity, target);
        out.mapping = quant::withoutLayers(prepared, out.proposal->kept);
        out.sqnr = quant::sqnrOf(noiseOf(of, out.mapping, worker, progress));
        out.proposal->meetsBudget = out.sqnr >= budget;
        if (out.proposal->meetsBudget || out.proposal->quantised.empty()) return;
        const double lack = std::isfinite(out.sqnr) ? budget - out.sqnr : budget;
        const double expected = quant::sqnrOf(out.proposal->noise);
        target = i + 2 < kAttempts ? std::max(target, expected) + lack * (1 << i) : kEverything;
    }
}

} // namespace

LayerScan scanLayers(const Quantisation& of, const ScanOptions& options, QuantWorker& worker,
                     const Progress& progress) {
    const quant::PreparedModel prepared = quant::prepare(*of.model, of.mapping, of.options);
    const std::vector<std::string> layers = quant::quantisedLayers(prepared);
    requireLayers(options.known, layers);
    LayerScan out;
    out.sensitivity = options.known;
    worker.setDetails(false);
    quant::continueScan(
        out.sensitivity, layers,
        [&](const std::string& layer) {
            progress.report("preparing " + layer, 0);
            return LayerSensitivity{layer, noiseOf(of, quant::onlyLayers(prepared, {layer}), worker, progress), {}};
        },
        options.measured);
    if (options.leastSqnr) propose(of, prepared, *options.leastSqnr, worker, progress, out);
    return out;
}

} // namespace fx::remote
