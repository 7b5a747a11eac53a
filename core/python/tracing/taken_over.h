// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace fx {
class GraphModule;
}

namespace fx::python {

/// Leaves out parameters and buffers that no node reads, as the constructor of GraphModule does: it takes over modules
/// that are called and attributes that are read. What called modules have stays. Buffers from which a constant is
/// computed stay for that, outside of the state dict.
void dropUnread(GraphModule& model);

/// The constructor of GraphModule takes modules and attributes over in the order in which nodes name them: so stand
/// the children, parameters and buffers of modules that are not taken over as a whole. What no node names comes last.
void orderByUse(GraphModule& model);

} // namespace fx::python
