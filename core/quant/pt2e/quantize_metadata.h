// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/ir/graph.h"
#include "core/quant/pt2e/annotation.h"

namespace fx::quant::pt2e {

/// Gives `quantize` and `dequantize` calls the stack trace of the node that they serve. Mirrors torchao's
/// PortNodeMetaForQDQ. Also sets types and sizes of the new calls, which torchao leaves to the next export.
void portMetadata(Graph& graph, const Annotations& annotations);

} // namespace fx::quant::pt2e
