// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/partition/carried_nodes.h"

#include "core/edit/steps/steps.h"

#include <algorithm>

namespace ui {

using fx::NodeId;

namespace {

bool has(const fx::Graph& graph, NodeId node) {
    return fx::index(node) < graph.idLimit() && !graph.node(node).erased();
}

} // namespace

CarriedNodes::CarriedNodes(const fx::GraphModule& before, const fx::GraphModule& after)
    : m_before(before.graph), m_after(after.graph), m_created(fx::compareVersions(m_before, m_after).created) {
    std::sort(m_created.begin(), m_created.end());
}

NodeId CarriedNodes::operator[](NodeId before) const {
    const NodeId to = sameOrTaken(before);
    return to == fx::kNoNode ? sameCall(before) : to;
}

NodeId CarriedNodes::same(NodeId before) const { return has(m_after, before) ? before : fx::kNoNode; }

NodeId CarriedNodes::sameOrTaken(NodeId before) const { return has(m_after, before) ? before : takenInstead(before); }

NodeId CarriedNodes::takenInstead(NodeId node) const {
    for (const NodeId user : m_before.node(node).users()) {
        if (!has(m_after, user)) continue;
        const auto was = m_before.node(user).inputs(), is = m_after.node(user).inputs();
        for (std::size_t i = 0; i < std::min(was.size(), is.size()); ++i)
            if (was[i] == node && std::binary_search(m_created.begin(), m_created.end(), is[i])) return is[i];
    }
    return fx::kNoNode;
}

NodeId CarriedNodes::sameCall(NodeId node) const {
    NodeId found = fx::kNoNode;
    for (const NodeId each : m_created) {
        if (m_after.node(each).op() != m_before.node(node).op() ||
            m_after.node(each).target() != m_before.node(node).target())
            continue;
        if (found != fx::kNoNode) return fx::kNoNode;
        found = each;
    }
    return found;
}

} // namespace ui
