// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/timing/timing_result.h"

namespace fx::engine {

/// Measures the machine's ceiling with the current number of threads: the best of several products of 512×512 float
/// matrices and of several copies of 32 MB, half a second in total.
timing::Ceiling measureCeiling();

/// Returns a description of the machine, the library and its settings.
timing::Environment environment();

} // namespace fx::engine
