// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/passes/pass.h"

namespace fx {

/// Inserts contiguous copies of fused convolutions' results before calls that depend on the order in memory (`view`,
/// `as_strided`, `stride`). Fused convolutions return channels_last tensors; the nodes that they replace may not.
/// Values are the same. Returns true if anything changed.
bool keepLayouts(const PassRun& run);

/// True if a node writes to a view that `keepLayouts` would have to copy; convolutions must then not be fused.
bool writesThroughViews(const GraphModule& model);

} // namespace fx
