// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"

namespace fx {

/// Converts the pickled root to the root that `torch.load` returns. Call it when the graph is known.
///
/// torch.load creates a new GraphModule with each distinct child, buffer and parameter under its first name, and then
/// with everything that nodes refer to. Further names of a tied tensor or module are therefore lost unless a node uses
/// them, entries that are None are lost, all buffers of the root become persistent, and a plain tensor that a node
/// reads becomes a buffer. (torch.fx `_deserialize_graph_module`, `GraphModule.__init__`, `_copy_attr`.)
void applyLoad(GraphModule& module);

} // namespace fx
