// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/partition/quotient.h"

#include "core/base/plain_number.h"
#include "core/partition/by_hand.h"
#include "core/partition/unit_graph.h"

#include <algorithm>
#include <queue>
#include <unordered_map>
#include <unordered_set>

namespace fx {
namespace {

using Heap = std::priority_queue<std::pair<std::uint32_t, std::uint32_t>,
                                 std::vector<std::pair<std::uint32_t, std::uint32_t>>, std::greater<>>;

/// Names the first partition that a way leads out of and back into.
[[noreturn]] void refuseCycle(const Graph& graph, const std::vector<Partition>& partitions) {
    const auto circle = circleOf(graph, partitions);
    if (!circle) throw Error(ErrorKind::Refused, Message("partition.dependency_cycle"));
    std::string text;
    for (const NodeId id : circle->way) text += (text.empty() ? "" : " -> ") + graph.node(id).name();
    throw Error(ErrorKind::Refused,
                Message("partition.dependency_cycle", {{"partition", circle->partition}, {"path", text}}))
        .onNode(graph.node(circle->way.front()).name());
}

} // namespace

std::vector<Unit> quotientOrder(const Graph& graph, const std::vector<Partition>& partitions) {
    UnitGraph units(graph, partitions);
    std::vector<std::uint32_t> position(graph.idLimit()), key(units.limit(), 0);
    std::uint32_t place = 0;
    for (const Node& node : graph.nodes()) key[units.of(node.id())] = position[index(node.id())] = place++;
    for (std::uint32_t i = 0; i < partitions.size(); ++i)
        if (!partitions[i].nodes.empty()) key[i] = position[index(topoSorted(graph, partitions[i].nodes).back())];
    Heap ready;
    const auto release = [&](std::uint32_t unit) { ready.emplace(key[unit], unit); };
    for (const std::uint32_t unit : units.free()) release(unit);
    std::vector<Unit> order;
    std::size_t nodes = 0;
    while (!ready.empty()) {
        const std::uint32_t unit = ready.top().second;
        ready.pop();
        const auto members = units.members(unit);
        order.push_back(units.isPartition(unit) ? Unit{kNoNode, unit} : Unit{members[0], 0});
        nodes += members.size();
        units.take(unit, release);
    }
    if (nodes != graph.size()) refuseCycle(graph, partitions);
    return order;
}

std::vector<NodeId> topoSorted(const Graph& graph, const std::vector<NodeId>& nodes) {
    if (std::is_sorted(nodes.begin(), nodes.end(), [&](NodeId a, NodeId b) { return graph.isBefore(a, b); }))
        return nodes; // mostly
    std::unordered_map<NodeId, std::pair<std::uint32_t, std::uint32_t>>
        places; // place in the list, inputs that are missing
    for (std::size_t i = 0; i < nodes.size(); ++i) places[nodes[i]] = {static_cast<std::uint32_t>(i), 0};
    Heap ready;
    for (auto& [id, entry] : places) {
        for (const NodeId input : graph.node(id).inputs()) entry.second += places.contains(input);
        if (entry.second == 0) ready.emplace(entry.first, index(id));
    }
    std::vector<NodeId> sorted;
    while (!ready.empty()) {
        const auto id = static_cast<NodeId>(ready.top().second);
        ready.pop();
        sorted.push_back(id);
        for (const NodeId user : graph.node(id).users())
            if (const auto entry = places.find(user); entry != places.end() && --entry->second.second == 0)
                ready.emplace(entry->second.first, index(user));
    }
    if (sorted.size() != nodes.size()) throw Error(ErrorKind::Refused, Message("partition.self_cycle"));
    return sorted;
}

Boundary boundaryOf(const Graph& graph, const std::vector<NodeId>& sortedNodes) {
    const std::unordered_set<NodeId> inside(sortedNodes.begin(), sortedNodes.end());
    std::unordered_set<NodeId> seen;
    Boundary result;
    for (const NodeId id : sortedNodes) {
        const Node& node = graph.node(id);
        for (const NodeId input : node.inputs())
            if (!inside.contains(input) && seen.insert(input).second) result.inputs.push_back(input);
        if (std::any_of(node.users().begin(), node.users().end(), [&](NodeId user) { return !inside.contains(user); }))
            result.outputs.push_back(id);
    }
    return result;
}

std::optional<std::int64_t> valueBytes(const Node& node, PathResolver& paths) {
    const auto& values = node.meta().values;
    if (values.empty()) {
        if (node.op() != Op::GetAttr) return std::nullopt;
        const TensorPtr tensor = paths.resolve(node.target()).tensor;
        return tensor ? std::optional(tensor->byteCount()) : std::nullopt;
    }
    std::int64_t bytes = 0;
    for (const ValueInfo& value : values) {
        if (!value.isTensor) continue;
        const auto dtype = dtypeFromName(value.dtype);
        if (!dtype) return std::nullopt;
        auto size = static_cast<std::int64_t>(elementSize(*dtype));
        for (const std::string& text : value.sizes) {
            const auto extent = plainNumber(text);
            if (!extent || __builtin_mul_overflow(size, *extent, &size)) return std::nullopt;
        }
        if (__builtin_add_overflow(bytes, size, &bytes)) return std::nullopt;
    }
    return bytes;
}

} // namespace fx
