// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/remote/run_message.h"

namespace fx::remote {

/// A request to run a prepared model over batches.
struct CalibrateRequest {
    /// The model, threads and seed. `inputs` is a list of batches, each a tensor, a tuple of arguments or a dict by
    /// name. Without it, the worker draws `draws` random batches and increments the seed for each.
    RunRequest run;
    std::size_t draws = 0;
    bool details = false; ///< run the batches a second time for histograms and saturation
};

/// The state of an observer after calibration.
struct ObserverState {
    std::string path;                                       ///< its first path in the model
    std::vector<std::pair<std::string, TensorPtr>> buffers; ///< new state, those of an inner observer as "inner.name"
    std::int64_t values = 0;                                ///< values seen in one pass; 0 without details
    double least = 0, greatest = 0;                         ///< smallest and largest of these values
    std::optional<double> scale;                            ///< set only for one scale per tensor
    std::int64_t zeroPoint = 0;
    double low = 0, high = 0;   ///< the range that scale and zero point can express
    std::int64_t saturated = 0; ///< values clamped to that range
    double histogramLow = 0, histogramHigh = 0;
    /// Counts in equal bins from `histogramLow` to `histogramHigh`; outliers are in the first and last bin.
    std::vector<std::int64_t> histogram;
    /// Fraction of `values` that is clamped.
    double saturatedShare() const {
        return values > 0 ? static_cast<double>(saturated) / static_cast<double>(values) : 0;
    }
};

/// The result of a calibration.
struct Calibration {
    std::size_t batches = 0;
    std::vector<ObserverState> observers; ///< in module order
    std::vector<std::string> guessed;     ///< random inputs that were guessed, with the reason
    /// Other buffers that the runs changed, by path: running statistics of a model in training mode.
    std::vector<std::pair<std::string, TensorPtr>> buffers;
};

/// Encodes the request. `local`: see `toFrame(RunRequest)`.
Frame toFrame(const CalibrateRequest& request, std::uint32_t number, bool local);
/// Decodes the request. Throws Error for invalid messages.
CalibrateRequest calibrateRequest(const Frame& frame);
/// Encodes the result.
Frame toFrame(const Calibration& calibration, std::uint32_t number);
/// Decodes the result. Throws Error for invalid messages.
Calibration calibrationOf(const Frame& frame);

} // namespace fx::remote
