// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"

#include <algorithm>

namespace fx {

/// Whether `name` is a nested graph, as passed to torch.cond by get_attr nodes.
inline bool hasSubgraph(const GraphModule& module, std::string_view name) {
    return std::any_of(module.subgraphs.begin(), module.subgraphs.end(),
                       [&](const auto& each) { return each.first == name; });
}

} // namespace fx
