// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/quant/measure/mixed_precision.h"
#include "core/quant/prepare.h"
#include "core/remote/quant_worker.h"

#include <functional>
#include <limits>
#include <memory>

namespace fx::remote {

/// A floating-point model and how to quantise it, shared by the command `quantize` and the window.
struct Quantisation {
    std::shared_ptr<const GraphModule> model; ///< in the mode that `quant::inModeFor` returns
    quant::QConfigMapping mapping;
    quant::PrepareOptions options;
    bool observes = true;                        ///< calibrates activations
    std::vector<std::vector<ValueTree>> batches; ///< random inputs are drawn if empty
};

/// Options of a sensitivity scan.
struct ScanOptions {
    quant::SensitivityScan known;    ///< earlier measurements; the scan continues after them
    std::optional<double> leastSqnr; ///< of the output in dB; if set, proposes which layers to quantise
    /// Called after each layer, on the caller's thread.
    std::function<void(const quant::SensitivityScan&)> measured;
};

/// The sensitivity of each layer with weights, and a proposal within the error budget.
struct LayerScan {
    quant::SensitivityScan sensitivity;
    std::optional<quant::MixedPrecision> proposal;
    std::vector<std::string>
        operators;                 ///< operators between the layers that the proposal also leaves in floating point
    quant::QConfigMapping mapping; ///< of the proposal
    double sqnr = 0;               ///< measured SQNR of the proposed model's output, in dB
    /// SQNR of the best quantised model tried, in dB.
    double bestSqnr = -std::numeric_limits<double>::infinity();
    std::vector<Error> skipped; ///< why some combinations could not be run
};

/// Returns a warning if no quantised model is within the error budget and the proposal quantises no layer. `best` is
/// the best SQNR and `budget` the error budget, both as text.
Warnings nothingWithin(const LayerScan& scan, std::string_view best, std::string_view budget);

/// Returns a warning about combinations of layers that could not be run.
Warnings skippedCombinations(const LayerScan& scan);

/// Quantises one layer at a time and compares the model's outputs. `options.measured` does not receive the layers in
/// `options.known`. Throws Error{Refused} if no layer would be quantised or `options.known` belongs to a different
/// model, and the errors of the worker.
LayerScan scanLayers(const Quantisation& of, const ScanOptions& options, QuantWorker& worker, const Progress& progress);

} // namespace fx::remote
