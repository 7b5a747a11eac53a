// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/partition/by_hand.h"

#include "core/partition/unit_graph.h"
#include "core/partition/way_back.h"

#include <algorithm>

namespace fx {

std::vector<Partition> partitionsNamed(const Graph& graph, const NamedPartitions& names) {
    std::vector<Partition> result;
    for (const auto& list : names) {
        Partition& partition = result.emplace_back();
        partition.id = static_cast<std::uint32_t>(result.size() - 1);
        for (const std::string& name : list) {
            const NodeId id = graph.find(name);
            if (id == kNoNode) throw Error(ErrorKind::Refused, Message("partition.unknown_node", {{"name", name}}));
            if (!graph.node(id).isCall() && graph.node(id).op() != Op::GetAttr)
                throw Error(ErrorKind::Refused,
                            Message("partition.node_kind", {{"node", name}, {"op", opName(graph.node(id).op())}}))
                    .onNode(name);
            partition.nodes.push_back(id);
        }
        if (partition.nodes.empty())
            throw Error(ErrorKind::Refused, Message("partition.empty", {{"number", result.size() - 1}}));
        std::sort(partition.nodes.begin(), partition.nodes.end(),
                  [&](NodeId a, NodeId b) { return graph.isBefore(a, b); });
    }
    (void)partitionPlaces(graph, result); // refuses nodes that are in two
    return result;
}

std::optional<Circle> circleOf(const Graph& graph, const std::vector<Partition>& partitions) {
    UnitGraph units(graph, partitions);
    for (auto ready = units.free(); !ready.empty();) {
        const std::uint32_t unit = ready.back();
        ready.pop_back();
        units.take(unit, [&](std::uint32_t freed) { ready.push_back(freed); });
    }
    std::optional<WayBack> ways;
    for (std::uint32_t i = 0; i < partitions.size(); ++i) {
        if (!units.waits(i)) continue; // it stands before every circle
        if (!ways) ways.emplace(graph, units.places());
        const auto place = static_cast<std::int32_t>(i);
        if (auto way = ways->find(place, place); !way.empty()) return Circle{i, std::move(way)};
    }
    return std::nullopt;
}

std::vector<NodeId> wayBetween(const Graph& graph, const std::vector<Partition>& partitions, std::size_t a,
                               std::size_t b) {
    const auto placeOf = partitionPlaces(graph, partitions);
    WayBack ways(graph, placeOf);
    auto way = ways.find(static_cast<std::int32_t>(a), static_cast<std::int32_t>(b));
    return way.empty() ? ways.find(static_cast<std::int32_t>(b), static_cast<std::int32_t>(a)) : way;
}

} // namespace fx
