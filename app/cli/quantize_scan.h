// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "app/cli/quantize_request.h"
#include "app/cli/worker_quant_engine.h"
#include "core/quant/convert.h"
#include "core/quant/measure/mixed_precision.h"

#include <memory>

namespace app {

/// What a scan of sensitivities compares: a model in floating point and how it would be quantised.
struct ScannedModel {
    std::shared_ptr<const fx::GraphModule> original;
    const fx::quant::PreparedModel& prepared;
    fx::quant::PrepareOptions options;
    bool observes = true; ///< whether activations are calibrated
    std::span<const std::vector<fx::ValueTree>> batches;
};

/// The sensitivity of each layer with weights, and what an error budget makes of it.
struct LayerScan {
    fx::quant::SensitivityScan sensitivity;
    std::optional<fx::quant::MixedPrecision> proposal;
    fx::quant::QConfigMapping mapping; ///< of the proposal
    double sqnr = 0;                   ///< of the output of the proposed model, measured
};

/// Quantises one layer at a time and compares the model's outputs. With --resume, goes on where the file ends and keeps
/// each result there. Throws Error{Refused} if the file is of another model, and what the worker throws.
LayerScan scanLayers(const Session& session, const QuantizeRequest& request, const ScannedModel& model,
                     WorkerQuantEngine& engine);

/// Members `"sensitivity"` and, with a budget, `"proposal"`.
void writeScan(fx::JsonWriter& json, const LayerScan& scan);
/// The layers as a table, those that cost most first, and the proposal.
std::string scanText(const LayerScan& scan);

} // namespace app
