// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/match/cycle_check.h"

#include <algorithm>

namespace fx {

bool CycleCheck::isAcyclic(std::vector<NodeId>& inside) {
    if (inside.empty()) return true;
    const NodeId last =
        *std::max_element(inside.begin(), inside.end(), [&](NodeId a, NodeId b) { return m_graph.isBefore(a, b); });
    std::sort(inside.begin(), inside.end());
    const auto isInside = [&](NodeId id) { return std::binary_search(inside.begin(), inside.end(), id); };
    std::vector<NodeId>& open = m_open;
    open.clear();
    ++m_walk;
    const auto visit = [&](NodeId user) {
        if (m_seen[index(user)] == m_walk || m_graph.isBefore(last, user)) return;
        m_seen[index(user)] = m_walk;
        open.push_back(user);
    };
    for (const NodeId id : inside)
        for (const NodeId user : m_graph.node(id).users())
            if (!isInside(user)) visit(user);
    while (!open.empty()) {
        const NodeId node = open.back();
        open.pop_back();
        if (isInside(node)) return false;
        for (const NodeId user : m_graph.node(node).users()) visit(user);
    }
    return true;
}

} // namespace fx
