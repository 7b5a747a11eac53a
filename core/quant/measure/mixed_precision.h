// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/json/json_document.h"

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace fx::quant {

/// What quantising one layer alone does to the model's output.
struct LayerSensitivity {
    std::string layer;
    double noise = 0; ///< error of the output relative to its power, Σ(a - b)² / Σa²; 0 if nothing changes
    std::optional<double> savedMs; ///< time that the quantised form saves; negative if it is slower

    double sqnr() const; ///< in dB; infinite without noise
};

/// A scan of sensitivities, one layer at a time, that can stop and go on: what was measured is kept as JSON.
struct SensitivityScan {
    std::vector<LayerSensitivity> done;
    bool has(std::string_view layer) const;
};
/// `of` tells what was scanned from others; empty: nothing does.
std::string toJson(const SensitivityScan& scan, std::string_view of = {});
SensitivityScan scanFromJson(JsonValue json); ///< throws Error{File}

/// Measures the layers that `scan` lacks, in order. `measure` quantises one layer alone; `measured` is told after each,
/// so that a caller can save. What `measure` throws ends the scan; `scan` has what came before.
void continueScan(SensitivityScan& scan, std::span<const std::string> layers,
                  const std::function<LayerSensitivity(const std::string& layer)>& measure,
                  const std::function<void(const SensitivityScan&)>& measured = {});

/// Which layers to quantise and what that is expected to give. Noise of layers adds up, as for independent errors.
struct MixedPrecision {
    std::vector<std::string> quantised, kept; ///< in the order of the scan
    double noise = 0;
    double savedMs = 0;
    bool meetsBudget = true;
};
/// Quantises as much as an output error allows (`leastSqnr` in dB): layers are kept in floating point, those first that
/// cost most noise for the time they save.
MixedPrecision withinError(const SensitivityScan& scan, double leastSqnr);
/// Quantises as little as a time demands (`savedMs`): layers that save most for their noise first.
MixedPrecision withinTime(const SensitivityScan& scan, double savedMs);

/// SQNR in dB of a relative noise.
double sqnrOf(double noise);

} // namespace fx::quant
