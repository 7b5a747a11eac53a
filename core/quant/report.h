// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/json/json_writer.h"
#include "core/quant/prepare.h"

namespace fx::quant {

/// Writes the members `"observers"` (name, observed, for, role, pattern, rule, type, settings, users, shared_with) and
/// `"unquantised"` (node, reason, rule) into the object that is open.
void writeReport(JsonWriter& json, const PreparedModel& prepared);

/// A warning if observers saw no values in the calibration: batches without elements. Their scale is 1, as in torch.ao.
Warnings unseenObservers(const PreparedModel& prepared);

} // namespace fx::quant
