// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/partition/unit_graph.h"

#include "core/partition/way_back.h"

namespace fx {

UnitGraph::UnitGraph(const Graph& graph, const std::vector<Partition>& partitions)
    : m_graph(graph), m_partitions(partitions), m_placeOf(partitionPlaces(graph, partitions)),
      m_nodes(graph.idLimit(), kNoNode), m_waits(partitions.size() + graph.idLimit(), 0) {
    for (const Node& node : graph.nodes()) {
        m_nodes[index(node.id())] = node.id();
        for (const NodeId user : node.users()) m_waits[of(user)] += of(user) != of(node.id());
    }
}

std::uint32_t UnitGraph::of(NodeId id) const {
    const std::int32_t place = m_placeOf[index(id)];
    return place == Assignment::kNone ? static_cast<std::uint32_t>(m_partitions.size() + index(id))
                                      : static_cast<std::uint32_t>(place);
}

std::span<const NodeId> UnitGraph::members(std::uint32_t unit) const {
    if (isPartition(unit)) return m_partitions[unit].nodes;
    return {&m_nodes[unit - m_partitions.size()], 1};
}

std::vector<std::uint32_t> UnitGraph::free() const {
    std::vector<std::uint32_t> result;
    std::vector<bool> met(m_waits.size(), false);
    for (const Node& node : m_graph.nodes()) {
        const std::uint32_t unit = of(node.id());
        if (!met[unit] && m_waits[unit] == 0) result.push_back(unit);
        met[unit] = true;
    }
    return result;
}

} // namespace fx
