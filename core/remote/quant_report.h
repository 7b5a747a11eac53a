// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/error.h"
#include "core/remote/layer_error_message.h"
#include "core/remote/quant_message.h"

namespace fx::remote {

/// Writes a member of the open object; infinite values and NaN become null.
void writeFinite(JsonWriter& json, std::string_view key, double value);

/// Writes the members `"batches"` and `"ranges"` (observer, values, min, max, scale, zero_point, low, high, saturated,
/// saturated_share and histogram with its range) into the open object. `scale` is null for scales per channel.
void writeCalibration(JsonWriter& json, const Calibration& calibration);

/// Writes the members `"layers"` (layer, node, original, sqnr_db, max_error, step), `"output"` and `"first_loss"`, the
/// first layer whose SQNR is below `threshold` dB or null, into the open object. An infinite SQNR is null.
void writeLayerErrors(JsonWriter& json, const LayerErrors& errors, double threshold);

/// Returns a warning if the output of a quantised model hardly resembles the original's: noise of half its power or
/// more. `sqnr` is in dB.
Warnings lostOutput(double sqnr);

} // namespace fx::remote
