// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"

namespace fx {

/// Simplifies what a library pattern created: arithmetic on numbers is done (`scale=1.0 / 8.0`), shapes of the model's
/// tensors become literals, transpositions that cancel out go. `values`: what the result is, which the call gets.
void tidyFusedCall(GraphModule& model, const std::vector<NodeId>& created, const std::vector<ValueInfo>& values);

} // namespace fx
