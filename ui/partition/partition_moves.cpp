// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/partition/partition_moves.h"

#include <algorithm>
#include <unordered_set>

namespace ui {

namespace {

/// All partitions but one, by how far in the graph they are from a node.
std::vector<int> nearest(const fx::Graph& graph, const std::vector<fx::Partition>& partitions, fx::NodeId node,
                         int except) {
    std::vector<std::ptrdiff_t> places(graph.idLimit());
    std::ptrdiff_t place = 0;
    for (const fx::Node& each : graph.nodes()) places[fx::index(each.id())] = place++;
    const std::ptrdiff_t here = places[fx::index(node)];
    std::vector<std::pair<std::ptrdiff_t, int>> distances;
    for (std::size_t i = 0; i < partitions.size(); ++i) {
        if (static_cast<int>(i) == except) continue;
        std::ptrdiff_t least = place;
        for (const fx::NodeId each : partitions[i].nodes)
            least = std::min(least, std::abs(places[fx::index(each)] - here));
        distances.emplace_back(least, static_cast<int>(i));
    }
    std::sort(distances.begin(), distances.end());
    std::vector<int> result;
    for (const auto& [distance, partition] : distances) result.push_back(partition);
    return result;
}

} // namespace

int homeOf(const PartitionOutcome& outcome, const std::vector<fx::NodeId>& nodes) {
    const int partition = nodes.empty() ? -1 : outcome.partition(nodes.front());
    return std::all_of(nodes.begin(), nodes.end(),
                       [&](fx::NodeId node) { return outcome.partition(node) == partition; })
               ? partition
               : -1;
}

std::vector<int> nearPartitions(const fx::Graph& graph, const PartitionOutcome& outcome,
                                const std::vector<fx::NodeId>& nodes, std::size_t most) {
    std::vector<int> result;
    const int own = homeOf(outcome, nodes);
    const auto add = [&](int partition) {
        if (partition >= 0 && partition != own && result.size() < most &&
            std::find(result.begin(), result.end(), partition) == result.end())
            result.push_back(partition);
    };
    for (const fx::NodeId node : nodes) {
        for (const fx::NodeId input : graph.node(node).inputs()) add(outcome.partition(input));
        for (const fx::NodeId user : graph.node(node).users()) add(outcome.partition(user));
        if (result.size() >= most) break;
    }
    for (const int each : nearest(graph, outcome.report.partitions, nodes.front(), own)) add(each);
    return result;
}

std::vector<fx::Partition> movedTo(int partition, const std::vector<fx::NodeId>& nodes,
                                   std::vector<fx::Partition> partitions, const fx::Graph& graph) {
    std::unordered_set<fx::NodeId> moved;
    for (const fx::NodeId node : nodes)
        if (graph.node(node).isCall() || graph.node(node).op() == fx::Op::GetAttr) moved.insert(node);
    for (auto& each : partitions) std::erase_if(each.nodes, [&](fx::NodeId node) { return moved.contains(node); });
    if (partition < 0) return partitions;
    const auto index = static_cast<std::size_t>(partition);
    if (index == partitions.size()) partitions.emplace_back();
    auto& members = partitions[index].nodes;
    members.insert(members.end(), moved.begin(), moved.end());
    std::sort(members.begin(), members.end(), [&](fx::NodeId a, fx::NodeId b) { return graph.isBefore(a, b); });
    return partitions;
}

} // namespace ui
