// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"

namespace fx {

/// Returns `unlifted(model)` in the form that PyTorch can trace again: an operator finds no traced size behind a number
/// in a list (`zeros([4, n])`), so that factories become Python's functions, and the number before it a traced one.
GraphModule unliftedForTracing(const GraphModule& model);

} // namespace fx
