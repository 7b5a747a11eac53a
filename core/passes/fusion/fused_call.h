// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"

namespace fx {

/// Simplifies the nodes created from a library pattern: evaluates arithmetic on numbers (`scale=1.0 / 8.0`), replaces
/// shapes of the model's tensors by literals, and removes transpositions that cancel. `values` becomes the value
/// metadata of the last call.
void tidyFusedCall(GraphModule& model, const std::vector<NodeId>& created, const std::vector<ValueInfo>& values);

} // namespace fx
