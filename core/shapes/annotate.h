// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"
#include "core/shapes/node_shapes.h"

namespace fx {

/// Returns the metadata that `noteShapes` would set, for the changed nodes in graph order. Thread-safe.
std::vector<std::pair<NodeId, MetaPtr>> shapeNotes(const Graph& graph, const NodeShapes& shapes);

/// Records shapes in the metadata of the nodes (`tensor_meta` in torch.fx), matched by name. Returns true if anything
/// changed. Unknown nodes and nodes without tensors are not changed.
bool noteShapes(Graph& graph, const NodeShapes& shapes);

} // namespace fx
