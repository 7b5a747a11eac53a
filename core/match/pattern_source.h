// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"

#include <string>
#include <vector>

namespace fx {

/// Writes nodes of a graph as the source of a function `name`, for use as a pattern or the start of a replacement.
///
/// Values from outside and get_attr nodes become inputs. Called modules become inputs annotated with the module's
/// class, so the pattern also matches the same structure elsewhere. Values that are used outside, or by nothing, are
/// returned. Inputs and outputs of the model among `nodes` are skipped. O(nodes). Throws Error{Refused} if no node
/// remains, or if a call is not a Python expression (`setattr`-like names).
std::string patternSource(const GraphModule& module, const std::vector<NodeId>& nodes,
                          const std::string& name = "pattern");

} // namespace fx
