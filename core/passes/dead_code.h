// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"

namespace fx {

/// torch.fx `eliminate_dead_code`: erases, last first, what nothing uses and what has no effect; also in the
/// GraphModules that get_attr nodes refer to. Returns how many nodes of the outer graph went.
std::size_t eliminateDeadCode(GraphModule& module);

} // namespace fx
