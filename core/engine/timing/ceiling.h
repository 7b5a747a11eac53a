// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/timing/timing_result.h"

#include <string>

namespace fx::engine {

/// The machine's ceiling with the current number of threads: the best of several matrix products of 512×512
/// floats and of several copies of 32 MB, half a second in total. The result is cached in `folder` (unless empty) by
/// CPU, threads and library, and is only ever raised, so that a busy first measurement does no harm.
timing::Ceiling measureCeiling(const std::string& folder);

/// Describes the machine, the library and its settings.
timing::Environment environment();

} // namespace fx::engine
