// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"
#include "core/shapes/node_shapes.h"

namespace fx {

/// The metadata that `noteShapes` would set, for the changed nodes in graph order. Any thread.
std::vector<std::pair<NodeId, MetaPtr>> shapeNotes(const Graph& graph, const NodeShapes& shapes);

/// Records shapes in the metadata of the nodes (`tensor_meta` in torch.fx), by name. Returns whether anything changed.
/// Unknown nodes and nodes without tensors stay unchanged.
bool noteShapes(Graph& graph, const NodeShapes& shapes);

} // namespace fx
