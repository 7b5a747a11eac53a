// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"
#include "core/shapes/node_shapes.h"

#include <functional>

namespace fx {

/// The first tensor of a node's value as far as it is known, else null.
using KnownInfo = std::function<const ValueInfo*(NodeId)>;

/// Fills in what `node`, which failed, was given, where those shapes came from, and which node is to blame.
///
///     conv1 (64 channels) ── relu ── dropout ─┐
///     conv2 (32 channels) ── bn ──────────────┴─ add   fails: given dropout and bn; origins conv1 and conv2
///
/// Walking up from an operand, nodes that give their input's shape on are passed by; the walk is linear in the graph.
/// To blame is the origin that comes last in the graph: of two that do not fit the nearer one, and never an input while
/// another node is there.
void explainFailure(ShapeFailure& failure, const GraphModule& model, const Node& node, const KnownInfo& known);

} // namespace fx
