// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/passes/sort_users.h"

#include <algorithm>

namespace fx {

void sortUsers(Graph& graph, NodeId id) {
    const auto& users = graph.node(id).users();
    if (users.size() < 2) return;
    std::vector<NodeId> order(users.begin(), users.end());
    const auto before = [&](NodeId a, NodeId b) { return graph.isBefore(a, b); };
    if (std::is_sorted(order.begin(), order.end(), before)) return;
    std::sort(order.begin(), order.end(), before);
    graph.setUsersOrder(id, order);
}

} // namespace fx
