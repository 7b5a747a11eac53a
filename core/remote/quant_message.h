// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/remote/message.h"

namespace fx::remote {

/// A request to run a prepared model over batches.
struct CalibrateRequest {
    /// The model, threads and seed. `inputs`: a list of batches, each a tensor, a tuple of arguments or a dict by name;
    /// without it, `draws` batches are drawn at random, the seed one higher each time.
    RunRequest run;
    std::size_t draws = 0;
    bool details = false; ///< runs the batches a second time for histograms and saturation
};

/// What an observer saw and chose.
struct ObserverState {
    std::string path;                                       ///< its first path in the model
    std::vector<std::pair<std::string, TensorPtr>> buffers; ///< new state, those of an inner observer as "inner.name"
    std::int64_t values = 0;                                ///< that it has seen in one pass; 0 without details
    double least = 0, greatest = 0;                         ///< of these
    std::optional<double> scale;                            ///< per tensor only
    std::int64_t zeroPoint = 0;
    double low = 0, high = 0;   ///< the range that scale and zero point can express
    std::int64_t saturated = 0; ///< values that are clamped to it
    double histogramLow = 0, histogramHigh = 0;
    std::vector<std::int64_t>
        histogram; ///< counts in equal bins from histogramLow to histogramHigh; outliers in the last
    double saturatedShare() const {
        return values > 0 ? static_cast<double>(saturated) / static_cast<double>(values) : 0;
    }
};

/// The answer to a CalibrateRequest: what each observer has seen.
struct Calibration {
    std::size_t batches = 0;
    std::vector<ObserverState> observers; ///< in module order
    std::vector<std::string> guessed;     ///< random inputs that were guessed, with the reason
    /// Other buffers that the runs have changed, by path: running statistics of a model in training mode.
    std::vector<std::pair<std::string, TensorPtr>> buffers;
};

Frame toFrame(const CalibrateRequest& request, std::uint32_t number, bool local);
CalibrateRequest calibrateRequest(const Frame& frame);
Frame toFrame(const Calibration& calibration, std::uint32_t number);
Calibration calibrationOf(const Frame& frame);

} // namespace fx::remote
