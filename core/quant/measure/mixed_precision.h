// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/json/json_document.h"

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace fx::quant {

/// The effect of quantising one layer alone on the model's output.
struct LayerSensitivity {
    std::string layer; ///< name of its node
    double noise = 0;  ///< output error relative to output power, Σ(a - b)² / Σa²; 0 if the output is unchanged
    std::optional<double> savedMs; ///< time that the quantised form saves; negative if it is slower

    double sqnr() const; ///< in dB; infinite if `noise` is 0
};

/// The results of a sensitivity scan, layer by layer. A scan can be interrupted, saved as JSON and continued.
struct SensitivityScan {
    std::vector<LayerSensitivity> done; ///< in the order of measurement
    /// True if the layer has been measured.
    bool has(std::string_view layer) const;
};
/// `of` identifies the scanned model and settings; empty: the JSON does not.
std::string toJson(const SensitivityScan& scan, std::string_view of = {});
SensitivityScan scanFromJson(JsonValue json); ///< throws Error{File}

/// Measures the layers missing from `scan`, in order. `measure` quantises one layer alone; `measured` is called after
/// each so that the caller can save. An exception from `measure` ends the scan; `scan` keeps the earlier results.
void continueScan(SensitivityScan& scan, std::span<const std::string> layers,
                  const std::function<LayerSensitivity(const std::string& layer)>& measure,
                  const std::function<void(const SensitivityScan&)>& measured = {});

/// A choice of layers to quantise and its expected effect. The noise of layers is added, as for independent errors.
struct MixedPrecision {
    std::vector<std::string> quantised, kept; ///< in the order of the scan
    double noise = 0;                         ///< expected relative error of the output
    double savedMs = 0;                       ///< expected time saving
    bool meetsBudget = true;                  ///< false if even all layers together save too little time
};
/// Quantises as many layers as an output error allows (`leastSqnr` in dB): keeps the layers with the most noise for
/// the time they save in floating point.
MixedPrecision withinError(const SensitivityScan& scan, double leastSqnr);

/// Converts a relative noise to SQNR in dB.
double sqnrOf(double noise);

} // namespace fx::quant
