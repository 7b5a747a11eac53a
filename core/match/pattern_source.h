// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"

#include <string>
#include <vector>

namespace fx {

/// Nodes of a graph as the source of a function `name`, for use as a pattern or as the start of a replacement.
///
/// Values from outside and get_attr nodes become inputs. Called modules become inputs annotated with the module's
/// class, so that the pattern matches the same structure elsewhere. Values that are used outside, or by nothing, are
/// returned. Inputs and outputs of the model among `nodes` are skipped. Linear in the size of the nodes. Throws
/// Error{Refused} if nothing is left, or for calls that are not Python expressions (`setattr`-like names).
std::string patternSource(const GraphModule& module, const std::vector<NodeId>& nodes,
                          const std::string& name = "pattern");

} // namespace fx
