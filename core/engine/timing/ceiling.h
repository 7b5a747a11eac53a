// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/timing/timing_result.h"

#include <string>

namespace fx::engine {

/// What the machine can do at most with as many threads as are set: the best of several matrix products of 512×512
/// floats and of several copies of 32 MB, half a second together. What was measured is kept in `folder` (empty:
/// nowhere) by processor, threads and library, and only ever raised: a machine that was busy the first time is not
/// taken at that.
timing::Ceiling measureCeiling(const std::string& folder);

/// The machine, the library and how it is set.
timing::Environment environment();

} // namespace fx::engine
