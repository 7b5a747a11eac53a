// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/quant/measure/mixed_precision.h"
#include "core/quant/prepare.h"
#include "core/remote/quant_worker.h"

#include <functional>
#include <limits>
#include <memory>

namespace fx::remote {

/// A model in floating point and how it is quantised: what the verb `quantize` and the window have in common.
struct Quantisation {
    std::shared_ptr<const GraphModule> model; ///< in the mode for it: see `quant::inModeFor`
    quant::QConfigMapping mapping;
    quant::PrepareOptions options;
    bool observes = true;                        ///< whether activations are calibrated
    std::vector<std::vector<ValueTree>> batches; ///< without any, inputs are drawn
};

/// How a scan of sensitivities is done.
struct ScanOptions {
    quant::SensitivityScan known;    ///< what was measured before: the scan goes on after it
    std::optional<double> leastSqnr; ///< of the output in dB: proposes which layers to quantise
    /// Told after each layer, on the caller's thread.
    std::function<void(const quant::SensitivityScan&)> measured;
};

/// The sensitivity of each layer with weights, and what an error budget makes of it.
struct LayerScan {
    quant::SensitivityScan sensitivity;
    std::optional<quant::MixedPrecision> proposal;
    std::vector<std::string> operators; ///< between the layers, that the proposal leaves in floating point, too
    quant::QConfigMapping mapping;      ///< of the proposal
    double sqnr = 0;                    ///< in dB, of the output of the proposed model, measured
    /// Of the best quantised model that was tried, in dB.
    double bestSqnr = -std::numeric_limits<double>::infinity();
    std::vector<Error> skipped; ///< why combinations that were tried do not run
};

/// A warning if the proposal quantises no layer, as no quantised model is within the error budget; with the SQNR of the
/// best and the budget in words.
Warnings nothingWithin(const LayerScan& scan, std::string_view best, std::string_view budget);

/// A warning about combinations of layers that were skipped, since they do not run.
Warnings skippedCombinations(const LayerScan& scan);

/// Quantises one layer at a time and compares the model's outputs. Throws Error{Refused} if no layer would be quantised
/// or what is known is of another model; and what the worker throws. `measured` was told of what came before.
LayerScan scanLayers(const Quantisation& of, const ScanOptions& options, QuantWorker& worker, const Progress& progress);

} // namespace fx::remote
