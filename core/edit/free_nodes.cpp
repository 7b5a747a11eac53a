// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/edit/free_nodes.h"

#include <algorithm>

namespace fx {

bool sameInputs(const Node& old, const Node& made, const std::function<NodeId(NodeId)>& meaning) {
    if (old.args().size() != made.args().size() || old.kwargs().size() != made.kwargs().size()) return false;
    const auto map = [&](NodeId id) { return Argument(meaning(id)); };
    for (std::size_t i = 0; i < old.args().size(); ++i)
        if (!(old.args()[i] == mapNodes(made.args()[i], map))) return false;
    for (std::size_t i = 0; i < old.kwargs().size(); ++i)
        if (old.kwargs()[i].first != made.kwargs()[i].first ||
            !(old.kwargs()[i].second == mapNodes(made.kwargs()[i].second, map)))
            return false;
    return true;
}

bool sameComputation(const Node& old, const Node& made, const std::function<NodeId(NodeId)>& meaning) {
    return old.op() == made.op() && old.target() == made.target() && sameInputs(old, made, meaning);
}

std::size_t FreeNodes::hashOf(const Node& node, const std::function<NodeId(NodeId)>& meaning) {
    std::size_t hash = std::hash<std::string>{}(node.target()) + static_cast<std::size_t>(node.op());
    for (const NodeId input : node.inputs()) hash = hash * 1'000'003 + index(meaning(input));
    return hash;
}

NodeId FreeNodes::find(const Node& made, const std::function<NodeId(NodeId)>& meaning,
                       const std::function<bool(NodeId)>& isFree) {
    if (!std::exchange(m_filled, true))
        for (const Node& node : m_graph.nodes())
            if (isFree(node.id())) m_nodes[hashOf(node, [](NodeId id) { return id; })].push_back(node.id());
    const auto found = m_nodes.find(hashOf(made, meaning));
    if (found == m_nodes.end()) return kNoNode;
    auto& candidates = found->second;
    while (!candidates.empty() && !isFree(candidates.front()))
        candidates.pop_front(); // what is taken is never free again
    const auto same = std::find_if(candidates.begin(), candidates.end(), [&](NodeId id) {
        return isFree(id) && sameComputation(m_graph.node(id), made, meaning);
    });
    return same == candidates.end() ? kNoNode : *same;
}

} // namespace fx
