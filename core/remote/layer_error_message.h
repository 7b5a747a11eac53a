// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/remote/run_message.h"

namespace fx::remote {

/// A request to compare a quantised model with its original, layer by layer, on equal inputs.
struct LayerErrorsRequest {
    RunRequest run;        ///< the original, with inputs: a list of batches as in CalibrateRequest, or one drawn batch
    ModelRef other;        ///< the quantised model
    std::size_t draws = 1; ///< number of random batches if `run` has no inputs
};

/// The error of a layer of the quantised model against its counterpart, over all batches.
struct LayerError {
    std::string node, original, layer; ///< node names; `layer` is the module's path, or the node
    double signal = 0, noise = 0;      ///< sums of squares: of the original's values, and of the differences
    double maxError = 0;
    std::int64_t values = 0;
    std::optional<double> step; ///< largest quantisation step (scale) of the layer's output over all batches

    double sqnr() const;          ///< in dB; infinite without noise
    double relativeNoise() const; ///< noise / signal
};
/// The errors of all compared layers, and of the model's outputs.
struct LayerErrors {
    std::vector<LayerError> layers; ///< in graph order
    LayerError output;              ///< all outputs of the models together

    /// Returns the first layer whose SQNR is below `sqnr` dB, or null.
    const LayerError* firstBelow(double sqnr) const;
};

/// Encodes the request. `local`: see `toFrame(RunRequest)`.
Frame toFrame(const LayerErrorsRequest& request, std::uint32_t number, bool local);
/// Decodes the request. Throws Error for invalid messages.
LayerErrorsRequest layerErrorsRequest(const Frame& frame);
/// Encodes the result.
Frame toFrame(const LayerErrors& errors, std::uint32_t number);
/// Decodes the result. Throws Error for invalid messages.
LayerErrors layerErrorsOf(const Frame& frame);

} // namespace fx::remote
