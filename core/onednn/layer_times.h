// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/onednn/fused_layer.h"
#include "core/timing/timing_result.h"

namespace fx {
class JsonValue;
class JsonWriter;
} // namespace fx

namespace fx::onednn {

/// The time of a kernel for a fused layer.
struct KernelTime {
    double ms = 0;             ///< median
    timing::RatioTiming ratio; ///< kernel time / time of the unfused nodes; without verdict
};

/// The times of one fused layer in milliseconds: medians of interleaved runs on values from a run of the model.
struct LayerTimes {
    std::string path;                      ///< path of the fused module
    double plain = 0;                      ///< time of the unfused nodes
    std::optional<KernelTime> oneDnn, mkl; ///< nullopt: the kernel does not support these values
    std::size_t rounds = 0;                ///< number of rounds, each with all candidates
    double noiseFloor = 0;                 ///< deviation of the unfused nodes from themselves
    std::string problem;                   ///< error of an unsupported kernel
    bool remembered = false;               ///< read from the cache of this machine

    /// Returns the time of a kernel.
    const std::optional<KernelTime>& of(Kernel kernel) const { return kernel == Kernel::Mkl ? mkl : oneDnn; }
    /// Returns the kernel with the shortest time; nullopt if no kernel is supported.
    std::optional<Kernel> fastest() const;
    /// Returns the fastest of the kernels measured to be faster than the unfused nodes; nullopt if none exists.
    std::optional<Kernel> best() const;
};
/// Writes an object, without the path; `readLayerTimes` restores it bit for bit.
void write(JsonWriter& json, const LayerTimes& times);
/// Reads the output of `write`. Throws Error{File}.
LayerTimes readLayerTimes(JsonValue value);

/// The times of two versions of a model, measured alternately.
struct WholeTimes {
    double beforeMs = 0, afterMs = 0; ///< medians
    timing::RatioTiming ratio;        ///< after / before
    std::size_t rounds = 0;           ///< samples per version
    double noiseFloor = 0;            ///< deviation of the version before from itself
    std::vector<Message> doubts;      ///< conditions that make the times unreliable: `timing::doubts`

    /// True if there are too few rounds for a confidence interval.
    bool hasTooFew() const;
    /// True if the version after may replace the one before: `timing::mayReplace`.
    bool isFaster() const;
};

} // namespace fx::onednn
