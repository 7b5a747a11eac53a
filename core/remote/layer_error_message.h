// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/remote/message.h"

namespace fx::remote {

/// A request to compare a quantised model with the one that it was made from, layer by layer, on equal inputs.
struct LayerErrorsRequest {
    RunRequest run; ///< the original, with inputs: a list of batches as in CalibrateRequest, or one drawn batch
    ModelRef other; ///< the quantised model
    std::size_t draws = 1;
};

/// How far a layer of the quantised model is from its counterpart, over all batches.
struct LayerError {
    std::string node, original, layer; ///< node names; `layer` is the module's path, or the node
    double signal = 0, noise = 0;      ///< sums of squares: of the original's values, of the differences
    double maxError = 0;
    std::int64_t values = 0;
    std::optional<double> step; ///< the quantisation step of the layer's output (scale), the largest of all batches

    double sqnr() const;          ///< in dB; infinite without noise
    double relativeNoise() const; ///< noise / signal
};
/// The errors of all layers that were compared, and of the model's outputs.
struct LayerErrors {
    std::vector<LayerError> layers; ///< in graph order
    LayerError output;              ///< of the models' outputs together

    /// The first layer whose SQNR is below this, or null.
    const LayerError* firstBelow(double sqnr) const;
};

Frame toFrame(const LayerErrorsRequest& request, std::uint32_t number, bool local);
LayerErrorsRequest layerErrorsRequest(const Frame& frame);
Frame toFrame(const LayerErrors& errors, std::uint32_t number);
LayerErrors layerErrorsOf(const Frame& frame);

} // namespace fx::remote
