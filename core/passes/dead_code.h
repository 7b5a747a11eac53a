// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/passes/pass.h"

namespace fx {

/// Erases unused nodes without effects, last first, also in GraphModules that get_attr nodes refer to. Returns the
/// number of nodes erased from the outer graph. Mirrors torch.fx's `eliminate_dead_code`.
///
/// torch.fx treats calls that write in place as free of effects. If `warnings` is given, warns about erased calls
/// whose writes other nodes read (core/module/lost_writes.h).
std::size_t eliminateDeadCode(GraphModule& module, Warnings* warnings = nullptr);

/// `eliminateDeadCode` as a pass.
Pass deadCodePass();

} // namespace fx
