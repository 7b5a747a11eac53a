// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"

namespace fx {

/// Warns about each node of `before` that writes to a value in place and is missing in `after`, if later nodes still
/// read the value: they now get other values. torch.fx does not report it. `after` must be an edited version of
/// `before`. Linear.
void warnOfLostWrites(const GraphModule& before, const GraphModule& after, Warnings& warnings);

} // namespace fx
