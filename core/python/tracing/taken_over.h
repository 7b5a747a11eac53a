// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace fx {
class GraphModule;
}

namespace fx::python {

/// Removes parameters and buffers that no node reads, like the constructor of GraphModule, which only copies modules
/// that are called and attributes that are read. Called modules keep all their tensors. Buffers from which a constant
/// is computed stay as well, outside the state dict.
void dropUnread(GraphModule& model);

/// Sorts children, parameters and buffers by their first use in the graph, because the constructor of GraphModule
/// copies them in that order. Modules that are copied whole stay unchanged. Unused members come last.
void orderByUse(GraphModule& model);

} // namespace fx::python
