// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"

namespace fx::quant {

/// What a prepared model computes in floating point: observers leave the graph, and fake quantisation of weights is
/// switched off. The weights are those of the prepared model, which training may have changed; fused layers stay fused.
GraphModule inFloat(const GraphModule& prepared);

} // namespace fx::quant
