// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/onednn/fused_layer.h"
#include "core/timing/timing_result.h"

namespace fx {
class JsonValue;
class JsonWriter;
} // namespace fx

namespace fx::onednn {

/// What a kernel takes for a fused layer.
struct KernelTime {
    double ms = 0;             ///< median
    timing::RatioTiming ratio; ///< to the nodes as they are; without verdict
};

/// What one fused layer takes in milliseconds: medians of interleaved runs on the values of a run of the model.
struct LayerTimes {
    std::string path;                      ///< of the fused module
    double plain = 0;                      ///< its nodes as they are
    std::optional<KernelTime> oneDnn, mkl; ///< nullopt: not possible with these values
    std::size_t rounds = 0;                ///< in which all were run
    double noiseFloor = 0;                 ///< by how much the nodes as they are differ from themselves
    std::string problem;                   ///< what a kernel that is not possible said
    bool remembered = false;               ///< of an earlier measurement on this machine

    const std::optional<KernelTime>& of(Kernel kernel) const { return kernel == Kernel::Mkl ? mkl : oneDnn; }
    /// The kernel with the shortest time; nullopt: none is possible.
    std::optional<Kernel> fastest() const;
    /// The fastest of the kernels that are shown to be faster than the nodes as they are.
    std::optional<Kernel> best() const;
};
/// As an object, without the path; reads back bit for bit.
void write(JsonWriter& json, const LayerTimes& times);
/// Throws Error{File}.
LayerTimes readLayerTimes(JsonValue value);

/// Two versions of a model, timed in alternation.
struct WholeTimes {
    double beforeMs = 0, afterMs = 0; ///< medians
    timing::RatioTiming ratio;        ///< after / before
    std::size_t rounds = 0;
    double noiseFloor = 0;       ///< by how much the version before differs from itself
    std::vector<Message> doubts; ///< what makes the times unreliable: `timing::doubts`

    /// Too few rounds for an interval: nothing is known.
    bool hasTooFew() const;
    /// Whether the version after may take the place of the one before: `timing::mayReplace`.
    bool isFaster() const;
};

} // namespace fx::onednn
