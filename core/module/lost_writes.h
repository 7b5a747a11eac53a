// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"

namespace fx {

/// Warns of each node of `before` that wrote to a value in place, is not in `after`, and after which others still read
/// the value: they get other values now. torch.fx does not report it. `after` must be an edited version of `before`.
/// Linear.
void warnOfLostWrites(const GraphModule& before, const GraphModule& after, Warnings& warnings);

} // namespace fx
