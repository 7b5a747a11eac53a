// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/passes/pass.h"

namespace fx {

/// torch.fx `eliminate_dead_code`: erases unused nodes without effects, last first, also in GraphModules that get_attr
/// nodes refer to. Returns the number of nodes erased from the outer graph.
///
/// torch.fx treats calls that write in place as free of effects. With `warnings`, those whose writes other nodes read
/// are warned of (core/module/lost_writes.h).
std::size_t eliminateDeadCode(GraphModule& module, Warnings* warnings = nullptr);

/// The same as a pass.
Pass deadCodePass();

} // namespace fx
