// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/partition/by_hand.h"

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
            if (id == kNoNode) throw Error(ErrorKind::Refused, "the assignment names '" + name + "', which is no node of the graph");
            if (!graph.node(id).isCall() && graph.node(id).op() != Op::GetAttr)
                throw Error(ErrorKind::Refused, "the node " + name + " is a " + std::string(opName(graph.node(id).op())) + ", which is never in a partition").onNode(name);
            partition.nodes.push_back(id);
        }
        if (partition.nodes.empty()) throw Error(ErrorKind::Refused, "partition " + std::to_string(result.size() - 1) + " of the assignment has no nodes");
        std::sort(partition.nodes.begin(), partition.nodes.end(), [&](NodeId a, NodeId b) { return graph.isBefore(a, b); });
    }
    (void)partitionPlaces(graph, result); // refuses nodes that are in two
    return result;
}

std::optional<Circle> circleOf(const Graph& graph, const std::vector<Partition>& partitions) {
    const auto placeOf = partitionPlaces(graph, partitions);
    const auto count = static_cast<std::uint32_t>(partitions.size());
    const auto unitOf = [&](NodeId id) { return placeOf[index(id)] == Assignment::kNone ? count + index(id) : static_cast<std::uint32_t>(placeOf[index(id)]); };
    std::vector<std::uint32_t> waits(count + graph.idLimit(), 0), ready;
    std::vector<bool> met(waits.size(), false);
    for (const Node& node : graph.nodes())
        for (const NodeId user : node.users()) waits[unitOf(user)] += unitOf(user) != unitOf(node.id());
    for (const Node& node : graph.nodes()) {
        const std::uint32_t unit = unitOf(node.id());
        if (!met[unit] && waits[unit] == 0) ready.push_back(unit);
        met[unit] = true;
    }
    while (!ready.empty()) {
        const std::uint32_t unit = ready.back();
        ready.pop_back();
        const std::vector<NodeId> single{static_cast<NodeId>(unit - count)};
        for (const NodeId member : unit < count ? partitions[unit].nodes : single)
            for (const NodeId user : graph.node(member).users())
                if (unitOf(user) != unit && --waits[unitOf(user)] == 0) ready.push_back(unitOf(user));
    }
    std::optional<WayBack> ways;
    for (std::size_t i = 0; i < count; ++i) {
        if (waits[i] == 0) continue; // it stands before every circle
        if (!ways) ways.emplace(graph, placeOf);
        const auto place = static_cast<std::int32_t>(i);
        if (auto way = ways->find(place, place); !way.empty()) return Circle{i, std::move(way)};
    }
    return std::nullopt;
}

std::vector<NodeId> wayBetween(const Graph& graph, const std::vector<Partition>& partitions, std::size_t a, std::size_t b) {
    const auto placeOf = partitionPlaces(graph, partitions);
    WayBack ways(graph, placeOf);
    auto way = ways.find(static_cast<std::int32_t>(a), static_cast<std::int32_t>(b));
    return way.empty() ? ways.find(static_cast<std::int32_t>(b), static_cast<std::int32_t>(a)) : way;
}

} // namespace fx
