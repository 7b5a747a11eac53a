// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/edit/erase_choices.h"

#include "core/module/purity.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace fx {
namespace {

bool sameForm(const Node& a, const Node& b) {
    const auto &x = a.meta().values, &y = b.meta().values;
    return !x.empty() && x.size() == y.size() &&
           std::equal(x.begin(), x.end(), y.begin(), [](const ValueInfo& one, const ValueInfo& other) {
               return one.dtype == other.dtype && one.sizes == other.sizes && !one.sizes.empty();
           });
}

void sortByGraph(std::vector<NodeId>& nodes, const Graph& graph) {
    std::sort(nodes.begin(), nodes.end(), [&](NodeId a, NodeId b) { return graph.isBefore(a, b); });
}

} // namespace

EraseChoices eraseChoices(const GraphModule& model, const std::vector<NodeId>& nodes) {
    const Graph& graph = model.graph;
    const std::unordered_set<NodeId> gone(nodes.begin(), nodes.end());
    EraseChoices choices;
    NodeId used = kNoNode; // the one whose users are left behind
    std::unordered_set<NodeId> met;
    for (const NodeId node : nodes)
        for (const NodeId user : graph.node(node).users())
            if (!gone.contains(user)) {
                used = node;
                if (met.insert(user).second) choices.users.push_back(user);
            }
    sortByGraph(choices.users, graph);
    if (used == kNoNode) return choices;
    // From the node that is used towards the inputs: the nearest are the likeliest.
    std::vector<NodeId> open{used};
    met = {used};
    for (std::size_t i = 0; i < open.size(); ++i)
        for (const NodeId input : graph.node(open[i]).inputs()) {
            if (!met.insert(input).second) continue;
            if (gone.contains(input)) open.push_back(input);
            else if (graph.isBefore(input, choices.users.front())) choices.candidates.push_back(input);
        }
    const auto other = std::stable_partition(choices.candidates.begin(), choices.candidates.end(),
                                             [&](NodeId each) { return sameForm(graph.node(each), graph.node(used)); });
    choices.sameForm = static_cast<std::size_t>(other - choices.candidates.begin());
    return choices;
}

std::vector<NodeId> deadAfterErase(const GraphModule& model, const std::vector<NodeId>& nodes, NodeId with) {
    const Graph& graph = model.graph;
    std::unordered_set<NodeId> gone(nodes.begin(), nodes.end());
    std::unordered_map<NodeId, std::size_t> usersGone;
    std::vector<NodeId> dead;
    const bool hasUsers = with != kNoNode && !eraseChoices(model, nodes).users.empty();
    std::vector<NodeId> open = nodes;
    while (!open.empty()) {
        const NodeId node = open.back();
        open.pop_back();
        for (const NodeId input : graph.node(node).inputs()) {
            const Node& each = graph.node(input);
            if (gone.contains(input) || ++usersGone[input] < each.users().size()) continue;
            if ((input == with && hasUsers) || isImpure(*model.root, each)) continue;
            gone.insert(input);
            dead.push_back(input);
            open.push_back(input);
        }
    }
    sortByGraph(dead, graph);
    return dead;
}

} // namespace fx
