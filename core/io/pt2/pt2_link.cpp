// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/pt2/pt2_link.h"

namespace fx {

std::int64_t getItemPlace(const Node& node) {
    if (!node.callable() || node.callable()->qualifiedName != "_operator.getitem" || node.args().size() != 2 ||
        !node.args()[0].isNode())
        return -1;
    const auto* place = node.args()[1].as<std::int64_t>();
    return place ? *place : -1;
}

Pt2Link::Pt2Link(const Graph& before, const Graph& now) : m_graphBefore(before), m_graphNow(now) {
    linkNodes();
    linkGetItems();
    findRenames();
}

void Pt2Link::link(NodeId before, NodeId now) {
    m_before.emplace(index(now), before);
    m_now.emplace(index(before), now);
}

void Pt2Link::linkNodes() {
    const std::vector<NodeId> order = m_graphNow.order();
    for (const NodeId id : order) {
        if (index(id) >= m_graphBefore.idLimit() || m_graphBefore.node(id).erased()) continue;
        const Node &was = m_graphBefore.node(id), &is = m_graphNow.node(id);
        const bool renamed = was.target() == is.target() && m_graphNow.find(was.name()) == kNoNode;
        if (was.op() == is.op() && (was.name() == is.name() || renamed)) link(id, id);
    }
    for (const NodeId id : order) {
        const NodeId named = m_graphBefore.find(m_graphNow.node(id).name());
        const bool free = named != kNoNode && !m_before.contains(index(id)) && !m_now.contains(index(named));
        if (free && m_graphBefore.node(named).op() == m_graphNow.node(id).op()) link(named, id);
    }
}

/// The same result of the same node, even when the getitem is a new one.
void Pt2Link::linkGetItems() {
    std::unordered_map<std::uint64_t, NodeId> items;
    const auto key = [](NodeId producer, std::int64_t place) {
        return std::uint64_t{index(producer)} << 32 | static_cast<std::uint32_t>(place);
    };
    for (const Node& node : m_graphBefore.nodes())
        if (const std::int64_t place = getItemPlace(node); place >= 0 && !m_now.contains(index(node.id())))
            items.emplace(key(node.args()[0].node(), place), node.id());
    for (const Node& node : m_graphNow.nodes()) {
        const std::int64_t place = getItemPlace(node);
        if (place < 0 || m_before.contains(index(node.id()))) continue;
        const auto found = items.find(key(before(node.args()[0].node()), place));
        if (found != items.end() && !m_now.contains(index(found->second))) link(found->second, node.id());
    }
}

void Pt2Link::findRenames() {
    for (const Node& node : m_graphBefore.nodes()) {
        const auto now = m_now.find(index(node.id()));
        if (now != m_now.end()) {
            if (const std::string& name = m_graphNow.node(now->second).name(); name != node.name())
                m_renames.emplace(node.name(), name);
        } else if (m_graphNow.find(node.name()) != kNoNode) {
            std::string name;
            for (int i = 0; name.empty() || m_graphNow.find(name) != kNoNode; ++i)
                name = node.name() + "_unused_" + std::to_string(i);
            m_renames.emplace(node.name(), name);
        }
    }
}

NodeId Pt2Link::before(NodeId now) const {
    const auto found = m_before.find(index(now));
    return found == m_before.end() ? kNoNode : found->second;
}

bool Pt2Link::same(const Argument& before, const Argument& now) const {
    const Argument moved = mapNodes(before, [this](NodeId id) -> Argument {
        const auto found = m_now.find(index(id));
        return found == m_now.end() ? Argument(EllipsisValue{})
                                    : Argument(found->second); // what is gone equals nothing
    });
    return moved == now;
}

bool Pt2Link::same(const Node& before, const Node& now) const {
    if (before.args().size() != now.args().size() || before.kwargs().size() != now.kwargs().size()) return false;
    for (std::size_t i = 0; i < now.args().size(); ++i)
        if (!same(before.args()[i], now.args()[i])) return false;
    for (std::size_t i = 0; i < now.kwargs().size(); ++i)
        if (before.kwargs()[i].first != now.kwargs()[i].first ||
            !same(before.kwargs()[i].second, now.kwargs()[i].second))
            return false;
    return true;
}

} // namespace fx
