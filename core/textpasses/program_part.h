// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/module.h"

#include <unordered_set>

namespace fx {

/// The nodes that the value of a node comes from, itself and writes to what it comes from included.
std::unordered_set<NodeId> sourcesOf(const GraphModule& program, NodeId wanted);

/// A program of `sources` alone, with the buffers that they read. Its nodes keep their ids.
GraphModule partOf(const GraphModule& program, const std::unordered_set<NodeId>& sources);

} // namespace fx
