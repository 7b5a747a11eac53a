// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"
#include "core/shapes/node_shapes.h"

namespace fx {

/// What `noteShapes` would give the nodes that it changes, in graph order. Any thread.
std::vector<std::pair<NodeId, MetaPtr>> shapeNotes(const Graph& graph, const NodeShapes& shapes);

/// Notes shapes as the metadata of the nodes (`tensor_meta` in torch.fx), by name. Whether anything changed; nodes that
/// hold no tensor, or of which nothing is known, keep what they have.
bool noteShapes(Graph& graph, const NodeShapes& shapes);

} // namespace fx
