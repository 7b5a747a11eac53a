// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"
#include "core/shapes/node_shapes.h"

#include <functional>

namespace fx {

/// Returns the first tensor of the value of a node if known, else null.
using KnownInfo = std::function<const ValueInfo*(NodeId)>;

/// Adds the input shapes of the failed `node`, their origins, and the likely cause.
///
///     conv1 (64 channels) ── relu ── dropout ─┐
///     conv2 (32 channels) ── bn ──────────────┴─ add   fails: given dropout and bn; origins conv1 and conv2
///
/// The walk up from an operand skips nodes that preserve the shape of their input; it is linear in the graph. The
/// likely cause is the last origin in graph order, preferring nodes that are not inputs.
void explainFailure(ShapeFailure& failure, const GraphModule& model, const Node& node, const KnownInfo& known);

} // namespace fx
