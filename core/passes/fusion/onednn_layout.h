// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/passes/pass.h"

namespace fx {

/// Fused convolutions give channels_last tensors, whose order in memory is another one than that of the nodes they
/// replace. Values are the same; calls that depend on that order (`view`, `as_strided`, `stride`) get a contiguous copy
/// where such a tensor may reach them. Returns whether anything changed.
bool keepLayouts(const PassRun& run);

/// Whether something is written to a view that would have to be such a copy. Then convolutions must not be fused.
bool writesThroughViews(const GraphModule& model);

} // namespace fx
