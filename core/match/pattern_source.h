// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"

#include <string>
#include <vector>

namespace fx {

/// Nodes of a graph as the source of a function `name` that finds them again (as a pattern, or as the start of a
/// replacement).
///
/// What they use from outside becomes an input, as do get_attr nodes; modules that they call become inputs annotated
/// with the module's class, so that the pattern matches the same structure elsewhere. What is used outside, or by
/// nothing, is returned. Inputs and outputs of the model among `nodes` are left out. Linear in the size of the nodes.
/// Throws Error{Refused} when nothing is left, or for calls that are no Python expression (`setattr`-like names).
std::string patternSource(const GraphModule& module, const std::vector<NodeId>& nodes,
                          const std::string& name = "pattern");

} // namespace fx
