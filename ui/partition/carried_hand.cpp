// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/partition/carried_hand.h"

#include "ui/partition/carried_nodes.h"

#include <unordered_set>

namespace ui {

using fx::NodeId;

namespace {

/// Also one of its results.
bool callsGraph(const fx::Graph& graph, const fx::Node& node, fx::PathResolver& paths) {
    if (node.op() == fx::Op::CallFunction && node.target() == "_operator.getitem" && !node.inputs().empty())
        return callsGraph(graph, graph.node(node.inputs().front()), paths);
    if (node.op() != fx::Op::CallModule) return false;
    const auto target = paths.resolve(node.target());
    return target.module && target.module->graphModule;
}

/// Whether each partition can still be a module.
bool isPossible(const fx::Graph& graph, const fx::NamedPartitions& hand) {
    return !fx::circleOf(graph, fx::partitionsNamed(graph, hand));
}

} // namespace

fx::NamedPartitions withCarriedNodes(const fx::NamedPartitions& hand, const fx::GraphModule& before,
                                     const fx::GraphModule& after) {
    const CarriedNodes places(before, after);
    fx::PathResolver paths(*after.root);
    std::unordered_set<NodeId> taken; // what replaced nodes of two partitions belongs to the first
    fx::NamedPartitions carried;
    for (const auto& names : hand) {
        std::vector<std::string> kept;
        for (const std::string& name : names) {
            const NodeId node = before.graph.find(name);
            const NodeId to = node == fx::kNoNode ? fx::kNoNode : places[node];
            if (to == fx::kNoNode || (to != node && callsGraph(after.graph, after.graph.node(to), paths))) continue;
            const fx::Node& there = after.graph.node(to);
            if ((there.isCall() || there.op() == fx::Op::GetAttr) && taken.insert(to).second)
                kept.push_back(there.name());
        }
        if (!kept.empty()) carried.push_back(std::move(kept));
    }
    return carried;
}

HandMemory::Moves HandMemory::carried(const Moves& moves, const std::shared_ptr<const fx::GraphModule>& from,
                                      const std::shared_ptr<const fx::GraphModule>& to) {
    std::erase_if(m_known, [](const auto& entry) { return entry.second.version.expired(); });
    m_known[from.get()] = {from, moves, m_serial};
    const auto known = m_known.find(to.get());
    if (known != m_known.end() && known->second.serial == m_serial) return known->second.moves;
    Moves result;
    for (const fx::NamedPartitions& each : moves) {
        fx::NamedPartitions there = withCarriedNodes(each, *from, *to);
        if (!there.empty() && isPossible(to->graph, there)) result.push_back(std::move(there));
    }
    return result;
}

} // namespace ui
