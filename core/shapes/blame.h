// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"
#include "core/shapes/node_shapes.h"

#include <functional>

namespace fx {

/// The first tensor of a node's value if known, else null.
using KnownInfo = std::function<const ValueInfo*(NodeId)>;

/// Fills in the input shapes of the failed `node`, their origins, and the likely cause.
///
///     conv1 (64 channels) ── relu ── dropout ─┐
///     conv2 (32 channels) ── bn ──────────────┴─ add   fails: given dropout and bn; origins conv1 and conv2
///
/// Walking up from an operand skips nodes that preserve their input's shape; the walk is linear in the graph. The
/// likely cause is the origin that comes last in the graph, and never an input if there is another node.
void explainFailure(ShapeFailure& failure, const GraphModule& model, const Node& node, const KnownInfo& known);

} // namespace fx
