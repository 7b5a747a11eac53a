// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/diff/counterparts.h"

#include <algorithm>
#include <unordered_map>

namespace fx {

/// What is known of the nodes of one model.
struct Counterparts::Side {
    const Graph& graph;
    std::vector<std::string> operations;        ///< by node id: what a node does, apart from its arguments
    std::unordered_map<std::string, int> calls; ///< how many nodes read or call a path
    /// The index of each input of the nodes that have many.
    std::unordered_map<NodeId, std::unordered_map<NodeId, std::size_t>> places;

    explicit Side(const GraphModule& model) : graph(model.graph), operations(model.graph.idLimit()) {
        PathResolver paths(*model.root);
        for (const Node& node : graph.nodes()) {
            operations[index(node.id())] = operationOf(paths, node);
            if (node.op() == Op::CallModule || node.op() == Op::GetAttr) ++calls[node.target()];
            if (node.inputs().size() <= kFewInputs) continue;
            auto& own = places[node.id()];
            for (const NodeId input : node.inputs()) own.emplace(input, own.size());
        }
    }
    /// The index of an input of a node.
    std::size_t placeOf(NodeId user, NodeId input) const {
        if (const auto many = places.find(user); many != places.end()) return many->second.at(input);
        const auto& inputs = graph.node(user).inputs();
        return static_cast<std::size_t>(std::find(inputs.begin(), inputs.end(), input) - inputs.begin());
    }
    const std::string& operation(NodeId id) const { return operations[index(id)]; }
    /// Inputs, output, and what one path of the module tree stands for.
    bool isUnmistakable(const Node& node) const {
        if (node.op() == Op::Placeholder || node.op() == Op::Output) return true;
        const auto found = calls.find(node.target());
        return (node.op() == Op::CallModule || node.op() == Op::GetAttr) && found != calls.end() && found->second == 1;
    }

private:
    static constexpr std::size_t kFewInputs = 16; ///< that are searched
    /// A module is known by its class and a tensor by its shape, since paths change when a model is rebuilt.
    static std::string operationOf(PathResolver& paths, const Node& node) {
        std::string text(opName(node.op()));
        if (node.op() == Op::CallModule || node.op() == Op::GetAttr) {
            const PathTarget target = paths.resolve(node.target());
            if (target.module) return text + " " + target.module->qualifiedType();
            if (!target.tensor) return text + " " + node.target();
            for (const auto size : target.tensor->sizes) text += " " + std::to_string(size);
            return text + " " + std::string(dtypeName(target.tensor->dtype));
        }
        return node.isCall() ? text + " " + node.target() : text;
    }
};

namespace {

constexpr int kRounds = 4; ///< more find next to nothing

/// Equal but for the nodes in them.
bool sameLiterals(const Node& a, const Node& b) {
    if (a.args().size() != b.args().size() || a.kwargs().size() != b.kwargs().size()) return false;
    const auto withoutNodes = [](const Argument& argument) {
        return mapNodes(argument, [](NodeId) { return Argument(EllipsisValue()); });
    };
    const auto same = [&](const Argument& x, const Argument& y) { return withoutNodes(x) == withoutNodes(y); };
    return std::equal(a.args().begin(), a.args().end(), b.args().begin(), same) &&
           std::equal(a.kwargs().begin(), a.kwargs().end(), b.kwargs().begin(),
                      [&](const auto& x, const auto& y) { return x.first == y.first && same(x.second, y.second); });
}

} // namespace

Counterparts::Counterparts(const Graph& a, const Graph& b)
    : m_a(a), m_b(b), m_ofA(a.idLimit(), kNoNode), m_ofB(b.idLimit(), kNoNode) {}

Counterparts Counterparts::byPosition(const GraphModule& a, const GraphModule& b) {
    Counterparts out(a.graph, b.graph);
    NodeId atA = a.graph.first(), atB = b.graph.first();
    for (; atA != kNoNode && atB != kNoNode; atA = a.graph.next(atA), atB = b.graph.next(atB)) out.pair(atA, atB);
    return out;
}

Counterparts::Counterparts(const GraphModule& a, const GraphModule& b) : Counterparts(a.graph, b.graph) {
    const Side sideA(a), sideB(b);
    byName(sideA, sideB);
    grow(sideA, sideB, false);
    byNameAlone(sideA, sideB, true);
    placeholdersByOrder();
    grow(sideA, sideB, false);
    grow(sideA, sideB, true);
    byNameAlone(sideA, sideB, false);
    grow(sideA, sideB, true);
}

bool Counterparts::pair(NodeId a, NodeId b) {
    if (m_ofA[index(a)] != kNoNode || m_ofB[index(b)] != kNoNode) return false;
    m_ofA[index(a)] = b, m_ofB[index(b)] = a;
    m_pairs.emplace_back(a, b);
    return true;
}

/// All inputs or all users go by the same names.
bool Counterparts::agrees(const Node& a, const Node& b) const {
    const auto same = [&](NodeId x, NodeId y) { return m_a.node(x).name() == m_b.node(y).name(); };
    if (!a.inputs().empty() &&
        std::equal(a.inputs().begin(), a.inputs().end(), b.inputs().begin(), b.inputs().end(), same))
        return true;
    return !a.users().empty() &&
           std::equal(a.users().begin(), a.users().end(), b.users().begin(), b.users().end(), same);
}

/// Inputs in the same position call or read different paths that both models have: a name that was given again.
bool Counterparts::contradicts(const Side& a, const Side& b, const Node& nodeA, const Node& nodeB) {
    for (std::size_t i = 0; i < std::min(nodeA.inputs().size(), nodeB.inputs().size()); ++i) {
        const Node &x = a.graph.node(nodeA.inputs()[i]), &y = b.graph.node(nodeB.inputs()[i]);
        const bool areKnown = a.isUnmistakable(x) && b.isUnmistakable(y);
        if (areKnown && x.target() != y.target() && a.calls.contains(y.target()) && b.calls.contains(x.target()))
            return true;
    }
    return false;
}

void Counterparts::byName(const Side& a, const Side& b) {
    if (m_a.outputNode() != kNoNode && m_b.outputNode() != kNoNode) pair(m_a.outputNode(), m_b.outputNode());
    for (const Node& node : m_a.nodes()) {
        const NodeId id = m_b.find(node.name());
        if (id == kNoNode) continue;
        const Node& other = m_b.node(id);
        if (node.op() != other.op()) continue;
        const bool unmistakable = node.target() == other.target() && a.isUnmistakable(node) && b.isUnmistakable(other);
        if (unmistakable || (a.operation(node.id()) == b.operation(id) && sameLiterals(node, other) &&
                             agrees(node, other) && !contradicts(a, b, node, other)))
            pair(node.id(), id);
    }
}

void Counterparts::byNameAlone(const Side& a, const Side& b, bool sameOperation) {
    for (const Node& node : m_a.nodes()) {
        const NodeId id = m_b.find(node.name());
        if (id == kNoNode || (sameOperation && a.operation(node.id()) != b.operation(id))) continue;
        const Node& other = m_b.node(id);
        if (!isFree(node, other)) continue;
        // A name alone does not make another operation the same node: it is to be in the same place too.
        const bool sameInputs = std::equal(node.inputs().begin(), node.inputs().end(), other.inputs().begin(),
                                           other.inputs().end(), [&](NodeId x, NodeId y) { return ofA(x) == y; });
        const bool sharesUser = std::any_of(node.users().begin(), node.users().end(), [&](NodeId user) {
            return ofA(user) != kNoNode && other.users().contains(ofA(user));
        });
        if (sameOperation || sharesUser || (sameInputs && !node.inputs().empty())) pair(node.id(), id);
    }
}

void Counterparts::placeholdersByOrder() {
    std::vector<NodeId> left[2];
    for (const Node& node : m_a.nodes())
        if (node.op() == Op::Placeholder && ofA(node.id()) == kNoNode) left[0].push_back(node.id());
    for (const Node& node : m_b.nodes())
        if (node.op() == Op::Placeholder && ofB(node.id()) == kNoNode) left[1].push_back(node.id());
    if (left[0].size() != left[1].size()) return;
    for (std::size_t i = 0; i < left[0].size(); ++i) pair(left[0][i], left[1][i]);
}

/// From every pair to its neighbours, until nothing new is found. `inOrder`: equal ones among the users are taken one
/// after another.
void Counterparts::grow(const Side& a, const Side& b, bool inOrder) {
    for (int round = 0; round < kRounds; ++round) {
        const std::size_t before = m_pairs.size();
        for (std::size_t i = m_pairs.size(); i-- > 0;) growToInputs(a, b, m_pairs[i].first, m_pairs[i].second);
        for (std::size_t i = 0; i < m_pairs.size(); ++i) {
            const auto [nodeA, nodeB] = m_pairs[i];
            growToInputs(a, b, nodeA, nodeB);
            growToUsers(a, b, nodeA, nodeB, inOrder);
        }
        if (m_pairs.size() == before) return;
    }
}

void Counterparts::growToInputs(const Side& a, const Side& b, NodeId nodeA, NodeId nodeB) {
    const auto &inputsA = m_a.node(nodeA).inputs(), &inputsB = m_b.node(nodeB).inputs();
    if (inputsA.size() != inputsB.size()) return;
    for (std::size_t i = 0; i < inputsA.size(); ++i)
        if (a.operation(inputsA[i]) == b.operation(inputsB[i])) pair(inputsA[i], inputsB[i]);
}

void Counterparts::growToUsers(const Side& a, const Side& b, NodeId nodeA, NodeId nodeB, bool inOrder) {
    std::unordered_map<std::string, std::pair<std::vector<NodeId>, std::vector<NodeId>>> groups;
    const auto key = [](const Side& side, NodeId user, NodeId node) {
        return side.operation(user) + " " + std::to_string(side.placeOf(user, node));
    };
    for (const NodeId user : m_a.node(nodeA).users())
        if (ofA(user) == kNoNode) groups[key(a, user, nodeA)].first.push_back(user);
    if (groups.empty()) return;
    std::vector<std::pair<std::vector<NodeId>, std::vector<NodeId>>*> met;
    for (const NodeId user : m_b.node(nodeB).users()) {
        if (ofB(user) != kNoNode) continue;
        const auto group = groups.find(key(b, user, nodeB));
        if (group == groups.end()) continue;
        if (group->second.second.empty()) met.push_back(&group->second);
        group->second.second.push_back(user);
    }
    for (const auto* group : met) {
        const auto& [ofFirst, ofSecond] = *group;
        if (ofFirst.size() != ofSecond.size() || (ofFirst.size() > 1 && !inOrder)) continue;
        for (std::size_t i = 0; i < ofFirst.size(); ++i) pair(ofFirst[i], ofSecond[i]);
    }
}

} // namespace fx
