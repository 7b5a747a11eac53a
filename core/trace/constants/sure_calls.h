// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/trace/constants/load_time_writes.h"

namespace fx::trace {

/// Returns true if a call that gives `known` certainly succeeds, so that a `try` around it need not run it. Returns
/// false for all but common operations.
bool surelySucceeds(const ConstantCall& call, const Value& known);

} // namespace fx::trace
