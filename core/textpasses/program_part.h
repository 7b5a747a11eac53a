// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/module.h"

#include <unordered_set>

namespace fx {

/// Returns the nodes that the value of a node depends on: its transitive inputs, writes to their memory, and the node
/// itself.
std::unordered_set<NodeId> sourcesOf(const GraphModule& program, NodeId wanted);

/// Returns a program of `sources` alone, with the buffers that they read. Nodes keep their ids.
GraphModule partOf(const GraphModule& program, const std::unordered_set<NodeId>& sources);

} // namespace fx
