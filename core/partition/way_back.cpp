// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/partition/way_back.h"

#include <algorithm>

namespace fx {

WayBack::WayBack(const Graph& graph, const std::vector<std::int32_t>& placeOf)
    : m_graph(graph), m_placeOf(placeOf), m_reached(graph.idLimit(), 0), m_from(graph.idLimit(), kNoNode) {
    for (const Node& node : graph.nodes()) {
        if (at(node.id()) == Assignment::kNone) continue;
        const auto place = static_cast<std::size_t>(at(node.id()));
        if (place >= m_members.size()) m_members.resize(place + 1);
        m_members[place].push_back(node.id());
    }
    m_entered.assign(m_members.size(), 0);
}

std::vector<NodeId> WayBack::find(std::int32_t a, std::int32_t b) {
    ++m_search;
    m_queue.clear();
    for (const NodeId start : m_members[static_cast<std::size_t>(a)])
        for (const NodeId user : m_graph.node(start).users())
            if (at(user) != a && at(user) != b) reach(user, start);
    for (std::size_t next = 0; next < m_queue.size(); ++next) {
        const NodeId node = m_queue[next];
        for (const NodeId user : m_graph.node(node).users()) {
            if (at(user) == b) {
                std::vector<NodeId> path{user};
                for (NodeId id = node; id != kNoNode; id = isReached(id) ? m_from[index(id)] : kNoNode)
                    path.push_back(id);
                std::reverse(path.begin(), path.end());
                return path;
            }
            if (at(user) != a) reach(user, node);
        }
    }
    return {};
}

/// Nodes of `a` are never reached: a way ends at the first of them.
void WayBack::reach(NodeId node, NodeId from) {
    const auto come = [this](NodeId to, NodeId by) {
        if (isReached(to)) return;
        m_reached[index(to)] = m_search;
        m_from[index(to)] = by;
        m_queue.push_back(to);
    };
    come(node, from);
    const std::int32_t place = at(node);
    if (place == Assignment::kNone || m_entered[static_cast<std::size_t>(place)] == m_search) return;
    m_entered[static_cast<std::size_t>(place)] = m_search;
    for (const NodeId other : m_members[static_cast<std::size_t>(place)]) come(other, node);
}

std::vector<std::int32_t> partitionPlaces(const Graph& graph, const std::vector<Partition>& partitions) {
    std::vector<std::int32_t> placeOf(graph.idLimit(), Assignment::kNone);
    for (std::size_t i = 0; i < partitions.size(); ++i)
        for (const NodeId id : partitions[i].nodes) {
            if (placeOf[index(id)] != Assignment::kNone)
                throw Error(ErrorKind::Refused, Message("partition.in_two", {{"node", graph.node(id).name()}}))
                    .onNode(graph.node(id).name());
            placeOf[index(id)] = static_cast<std::int32_t>(i);
        }
    return placeOf;
}

} // namespace fx
