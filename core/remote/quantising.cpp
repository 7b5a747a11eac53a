// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/remote/quantising.h"

#include "core/quant/convert.h"
#include "core/quant/measure/one_layer.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

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

/// Measures the proposal for a target. Whether it runs: quantised and float values may meet in operators that take one
/// kind only.
bool isMeasured(const Quantisation& of, const quant::PreparedModel& prepared, double target, QuantWorker& worker,
                const Progress& progress, LayerScan& out) {
    out.proposal = quant::withinError(out.sensitivity, target);
    out.mapping = quant::withoutLayers(prepared, out.proposal->kept);
    try {
        out.sqnr = quant::sqnrOf(noiseOf(of, out.mapping, worker, progress));
        return true;
    } catch (const Error& error) {
        if (error.kind() != ErrorKind::Run) throw;
        out.skipped.push_back(error);
        return false;
    }
}

/// Where not even the model with all layers in floating point runs: the one that quantises the fewest and runs, of some
/// that quantise more and more of the cheapest layers.
void proposeAnyThatRuns(const Quantisation& of, const quant::PreparedModel& prepared, double budget,
                        QuantWorker& worker, const Progress& progress, LayerScan& out) {
    std::vector<double> noise;
    for (const LayerSensitivity& each : out.sensitivity.done) noise.push_back(each.noise);
    std::sort(noise.begin(), noise.end());
    for (std::size_t i = 1; i < noise.size(); ++i) noise[i] += noise[i - 1];
    constexpr std::size_t kAttempts = 8;
    constexpr double kLess = 1e-6; // dB: so many layers are within the error
    for (std::size_t i = 1, before = 0; i <= kAttempts && !noise.empty(); ++i) {
        const std::size_t count = std::max<std::size_t>(1, i * noise.size() / kAttempts);
        if (std::exchange(before, count) == count) continue;
        if (isMeasured(of, prepared, quant::sqnrOf(noise[count - 1]) - kLess, worker, progress, out)) {
            out.proposal->meetsBudget = out.sqnr >= budget;
            return;
        }
    }
    throw Error(ErrorKind::Refused, Message("quant.no_combination",
                                            {{"count", out.skipped.size()}, {"reason", out.skipped.front().what()}}))
        .onNode(out.skipped.front().node);
}

/// Proposes by the sum of the layers' noise. What else is quantised and how errors meet is not in it: the proposed
/// model is measured, and proposed again with at least one layer less, in growing steps; at last with none.
void propose(const Quantisation& of, const quant::PreparedModel& prepared, double budget, QuantWorker& worker,
             const Progress& progress, LayerScan& out) {
    constexpr int kAttempts = 8;
    constexpr double kEverything = std::numeric_limits<double>::infinity(), kStep = 1; ///< dB
    double target = budget;
    for (int i = 0; i < kAttempts; ++i) {
        progress.report("checking the proposal", static_cast<double>(i) / kAttempts);
        const bool runs = isMeasured(of, prepared, target, worker, progress, out);
        const double expected = quant::sqnrOf(out.proposal->noise);
        if (!runs) {
            if (out.proposal->quantised.empty()) return proposeAnyThatRuns(of, prepared, budget, worker, progress, out);
            target = i + 2 < kAttempts ? std::max(target, expected) + kStep : kEverything;
            continue;
        }
        out.proposal->meetsBudget = out.sqnr >= budget;
        if (out.proposal->meetsBudget || out.proposal->quantised.empty()) return;
        const double lack = std::isfinite(out.sqnr) ? budget - out.sqnr : budget;
        target = i + 2 < kAttempts ? std::max(target, expected) + lack * (1 << i) : kEverything;
    }
}

} // namespace

Message belowBudget(const LayerScan& scan, std::string_view sqnr, std::string_view budget) {
    if (scan.proposal->quantised.empty()) return Message("quant.below_budget", {{"sqnr", sqnr}, {"budget", budget}});
    return Message("quant.below_budget_runs", {{"sqnr", sqnr}, {"budget", budget}});
}

Warnings skippedCombinations(const LayerScan& scan) {
    if (scan.skipped.empty()) return {};
    const Error& first = scan.skipped.front();
    return {{Message("quant.skipped_combinations", {{"count", scan.skipped.size()}, {"reason", first.what()}}),
             first.node,
             first.modulePath,
             {}}};
}

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
