// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"

#include <algorithm>

namespace fx {

/// Returns the nested graph with this name, which get_attr nodes pass to torch.cond, or null.
inline const GraphModule* subgraphNamed(const GraphModule& module, std::string_view name) {
    const auto found = std::find_if(module.subgraphs.begin(), module.subgraphs.end(),
                                    [&](const auto& each) { return each.first == name; });
    return found == module.subgraphs.end() ? nullptr : found->second.get();
}
/// Returns true if `name` is a nested graph.
inline bool hasSubgraph(const GraphModule& module, std::string_view name) {
    return subgraphNamed(module, name) != nullptr;
}

} // namespace fx
