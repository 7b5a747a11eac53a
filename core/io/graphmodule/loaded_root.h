// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"

namespace fx {

/// Turns the root as it was pickled into the one that `torch.load` gives, once the graph is known.
///
/// torch.load makes a new GraphModule: it takes over each distinct child, buffer and parameter under its first name,
/// then what nodes refer to. So a second name of a tied tensor or module is gone unless a node uses it, entries that
/// are None are gone, all buffers of the root become persistent, and a plain tensor that a node reads becomes a buffer.
/// (torch.fx `_deserialize_graph_module`, `GraphModule.__init__`, `_copy_attr`.)
void applyLoad(GraphModule& module);

} // namespace fx
