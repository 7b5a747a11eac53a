// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/partition/way_back.h"

#include <algorithm>
#include <map>
#include <unordered_map>

// Why nodes are in no partition and why partitions are not one.

namespace fx {
namespace {

constexpr std::int32_t kNone = Assignment::kNone;

/// The partition that each node of none leads to through others of none: of several the one nearest to it.
struct Leads {
    std::vector<std::int32_t> place; ///< by node id
    std::vector<NodeId> next;

    Leads(const Graph& graph, const std::vector<std::int32_t>& placeOf, const std::vector<Partition>& partitions)
        : place(graph.idLimit(), kNone), next(graph.idLimit(), kNoNode) {
        const auto id = [&](std::int32_t at) {
            return at == kNone ? -1 : static_cast<std::int64_t>(partitions[static_cast<std::size_t>(at)].id);
        };
        for (NodeId node = graph.last(); node != kNoNode; node = graph.prev(node)) {
            if (placeOf[index(node)] != kNone) continue;
            for (const NodeId user : graph.node(node).users()) {
                const std::int32_t there = placeOf[index(user)] != kNone ? placeOf[index(user)] : place[index(user)];
                if (id(there) > id(place[index(node)])) place[index(node)] = there, next[index(node)] = user;
            }
        }
    }
    std::vector<NodeId> way(NodeId from, NodeId through, const std::vector<std::int32_t>& placeOf) const {
        std::vector<NodeId> path{from};
        for (NodeId id = through;; id = next[index(id)]) {
            path.push_back(id);
            if (placeOf[index(id)] != kNone) return path;
        }
    }
};

} // namespace

std::string_view reasonName(UnassignedNode::Reason reason) {
    switch (reason) {
    case UnassignedNode::Reason::Unsupported: return "unsupported";
    case UnassignedNode::Reason::SingleNode: return "single_node";
    case UnassignedNode::Reason::NonCompute: return "non_compute";
    case UnassignedNode::Reason::Cycle: return "cycle";
    }
    return {};
}

/// Down the levels by the users that made them what they are; where getitems were moved that may miss, and the graph is
/// searched.
std::vector<NodeId> CapabilityBasedPartitioner::cycleBetween(const std::vector<std::int32_t>& placeOf, WayBack& ways,
                                                             std::int32_t a, std::int32_t b, NodeId from) const {
    if (!m_assignment.next.empty()) {
        std::vector<NodeId> path;
        for (NodeId id = from; id != kNoNode; id = m_assignment.next[index(id)]) {
            if (placeOf[index(id)] == a) path.clear();
            path.push_back(id);
            if (placeOf[index(id)] != b) continue;
            if (path.size() > 2) return path;
            break;
        }
    }
    return ways.find(a, b);
}

/// What holds for all nodes of a group that was dropped.
UnassignedNode CapabilityBasedPartitioner::explainDropped(WayBack& ways, std::int32_t group) const {
    const auto& groupOf = m_assignment.groupOf;
    std::vector<NodeId> nodes;
    for (const Member& member : m_groups[static_cast<std::size_t>(group)])
        if (groupOf[index(member.node)] == group && m_stamps[index(member.node)] == member.stamp)
            nodes.push_back(member.node);
    UnassignedNode result;
    result.reason = UnassignedNode::Reason::SingleNode;
    result.rule = Message("partition.group_too_small", {{"nodes", nodes.size()}, {"count", computeNodes(nodes)}});
    const auto beside = [&](NodeId other) { return groupOf[index(other)] != kNone && groupOf[index(other)] != group; };
    for (const NodeId id : nodes) {
        for (const NodeId user : m_graph.node(id).users())
            if (result.cycle.empty() && beside(user))
                result.cycle = cycleBetween(groupOf, ways, group, groupOf[index(user)], id);
        for (const NodeId input : m_graph.node(id).inputs())
            if (result.cycle.empty() && beside(input))
                result.cycle = cycleBetween(groupOf, ways, groupOf[index(input)], group, input);
        if (!result.cycle.empty()) break;
    }
    if (!result.cycle.empty()) result.reason = UnassignedNode::Reason::Cycle;
    return result;
}

std::vector<UnassignedNode> CapabilityBasedPartitioner::unassigned(const std::vector<Partition>& partitions) const {
    const auto placeOf = partitionPlaces(m_graph, partitions);
    WayBack ways(m_graph, m_assignment.groupOf);
    std::unordered_map<std::int32_t, UnassignedNode> dropped;
    std::vector<UnassignedNode> result;
    for (const Node& node : m_graph.nodes()) {
        if (!node.isCall() || placeOf[index(node.id())] != kNone) continue;
        UnassignedNode each;
        NodeId decided = node.id();
        while (m_follows[index(decided)] != kNoNode && !m_trimmed[index(decided)]) decided = m_follows[index(decided)];
        if (m_trimmed[index(decided)]) {
            each.reason = UnassignedNode::Reason::NonCompute;
            each.rule = Message("partition.trimmed");
        } else if (const std::int32_t group = m_assignment.groupOf[index(decided)]; group == kNone) {
            each.rule = m_support.refusal(*m_model.root, m_graph.node(decided));
        } else {
            if (!dropped.contains(group)) dropped.emplace(group, explainDropped(ways, group));
            each = dropped.at(group);
        }
        each.node = node.id();
        each.follows = m_follows[index(node.id())];
        result.push_back(std::move(each));
    }
    return result;
}

std::vector<NotMerged> CapabilityBasedPartitioner::notMerged(const std::vector<Partition>& partitions) const {
    const auto placeOf = partitionPlaces(m_graph, partitions);
    const Leads leads(m_graph, placeOf, partitions);
    WayBack ways(m_graph, placeOf);
    struct Edge {
        NodeId from = kNoNode, to = kNoNode;
        bool direct = false;
    };
    std::map<std::pair<std::int32_t, std::int32_t>, Edge>
        pairs; // a way through nodes of no partition is the better reason
    for (const Node& node : m_graph.nodes()) {
        const std::int32_t a = placeOf[index(node.id())];
        if (a == kNone) continue;
        for (const NodeId user : node.users()) {
            const bool direct = placeOf[index(user)] != kNone;
            const std::int32_t b = direct ? placeOf[index(user)] : leads.place[index(user)];
            if (b == kNone || b == a) continue;
            if (Edge& edge = pairs[{a, b}]; edge.from == kNoNode || (edge.direct && !direct))
                edge = {node.id(), user, direct};
        }
    }
    std::vector<NotMerged> result;
    for (const auto& [pair, edge] : pairs) {
        const auto [a, b] = pair;
        result.push_back(
            {static_cast<std::size_t>(a), static_cast<std::size_t>(b),
             edge.direct ? cycleBetween(placeOf, ways, a, b, edge.from) : leads.way(edge.from, edge.to, placeOf)});
    }
    return result;
}

} // namespace fx
