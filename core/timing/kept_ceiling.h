// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/timing/timing_result.h"

#include <string>

namespace fx::timing {

/// Returns the higher of `now` and the ceiling stored in `folder` (unless empty) for this CPU, number of threads and
/// library. The stored ceiling only rises, so a first measurement on a busy machine does no lasting harm.
Ceiling keptCeiling(Ceiling now, const Environment& machine, const std::string& folder);

/// Computes each node's share of the machine's ceiling (the roofline model, Williams 2009).
void applyCeiling(NodeReport& report, const Ceiling& ceiling);

} // namespace fx::timing
