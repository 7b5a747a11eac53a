// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/ir/graph.h"
#include "core/quant/pt2e/annotation.h"

namespace fx::quant::pt2e {

/// torchao PortNodeMetaForQDQ: quantize and dequantize calls get the stack trace of the node that they are for.
/// Types and sizes of the new calls are set as well, which torchao leaves to the next export.
void portMetadata(Graph& graph, const Annotations& annotations);

} // namespace fx::quant::pt2e
