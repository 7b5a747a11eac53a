// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"

namespace fx::quant {

/// Returns the prepared model in floating point: without observers, and with fake quantisation of weights switched
/// off. It keeps the weights of the prepared model, which training may have changed, and its fused layers.
GraphModule inFloat(const GraphModule& prepared);

} // namespace fx::quant
