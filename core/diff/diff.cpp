// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/diff/diff.h"

#include "core/diff/counterparts.h"
#include "core/diff/tree_diff.h"
#include "core/ir/print.h"

#include <algorithm>
#include <array>

namespace fx {
namespace {

constexpr std::array<std::string_view, 22> kAspectNames = {
    "name",    "op",         "target", "args",       "kwargs",   "type",     "users", "order",  "shape",
    "dtype",   "module",     "tensor", "class",      "settings", "training", "graph", "values", "requires_grad",
    "sharing", "attributes", "hooks",  "persistence"};

/// The nodes of A, in A's order, that do not belong to a longest run of pairs in the same order in both.
std::vector<bool> moved(const GraphModule& a, const GraphModule& b, const Counterparts& counterparts) {
    std::vector<std::size_t> placeInB(b.graph.idLimit());
    std::size_t place = 0;
    for (const Node& node : b.graph.nodes()) placeInB[index(node.id())] = place++;
    std::vector<NodeId> nodes, tails; // tails[k]: the last of the best run of k + 1
    std::vector<NodeId> before(a.graph.idLimit(), kNoNode);
    const auto placeOf = [&](NodeId id) { return placeInB[index(counterparts.ofA(id))]; };
    for (const Node& node : a.graph.nodes()) {
        if (counterparts.ofA(node.id()) == kNoNode) continue;
        const auto at = std::partition_point(tails.begin(), tails.end(),
                                             [&](NodeId tail) { return placeOf(tail) < placeOf(node.id()); });
        if (at != tails.begin()) before[index(node.id())] = *(at - 1);
        if (at == tails.end()) tails.push_back(node.id());
        else *at = node.id();
    }
    std::vector<bool> result(a.graph.idLimit(), true);
    for (NodeId id = tails.empty() ? kNoNode : tails.back(); id != kNoNode; id = before[index(id)])
        result[index(id)] = false;
    return result;
}

/// Compares pairs of nodes.
class NodeDiff {
public:
    NodeDiff(const GraphModule& a, const GraphModule& b, const Counterparts& counterparts, TreeDiff& tree,
             DiffScope scope)
        : m_a(a.graph), m_b(b.graph), m_counterparts(counterparts), m_tree(tree), m_isFile(scope != DiffScope::Models) {
        if (!m_isFile) m_moved = moved(a, b, counterparts);
    }

    std::vector<Aspect> compare(const Node& a, const Node& b) {
        m_what.clear();
        note(Aspect::Name, a.name() != b.name());
        note(Aspect::Op, a.op() != b.op());
        note(Aspect::Target, a.target() != b.target());
        note(Aspect::Args, m_isFile ? argsRepr(m_a, a) != argsRepr(m_b, b) : !sameArgs(a, b));
        note(Aspect::KeywordArgs, m_isFile ? kwargsRepr(m_a, a) != kwargsRepr(m_b, b) : !sameKwargs(a, b));
        note(Aspect::Type,
             (a.type() ? a.type()->repr() : std::string()) != (b.type() ? b.type()->repr() : std::string()));
        if (m_isFile) return m_what; // shapes are computed again, users follow, and the tree is compared as a whole
        note(Aspect::Users, !sameUsers(a, b));
        note(Aspect::Order, m_moved[index(a.id())]);
        compareValues(a.meta().values, b.meta().values);
        const auto named = [](const Node& node) { return node.op() == Op::CallModule || node.op() == Op::GetAttr; };
        if (named(a) && named(b))
            for (const Aspect aspect : m_tree.compare(a.target(), b.target())) m_what.push_back(aspect);
        return m_what;
    }

private:
    void note(Aspect aspect, bool differs) {
        if (differs) m_what.push_back(aspect);
    }
    /// A value of A in terms of B's nodes; a node without counterpart becomes one that B does not have.
    bool same(const Argument& a, const Argument& b) const {
        return mapNodes(a, [&](NodeId id) { return Argument(m_counterparts.ofA(id)); }) == b;
    }
    bool sameArgs(const Node& a, const Node& b) const {
        return std::equal(a.args().begin(), a.args().end(), b.args().begin(), b.args().end(),
                          [&](const auto& x, const auto& y) { return same(x, y); });
    }
    bool sameKwargs(const Node& a, const Node& b) const {
        return std::equal(a.kwargs().begin(), a.kwargs().end(), b.kwargs().begin(), b.kwargs().end(),
                          [&](const auto& x, const auto& y) { return x.first == y.first && same(x.second, y.second); });
    }
    bool sameUsers(const Node& a, const Node& b) const {
        return a.users().size() == b.users().size() &&
               std::all_of(a.users().begin(), a.users().end(), [&](NodeId user) {
                   return m_counterparts.ofA(user) != kNoNode && b.users().contains(m_counterparts.ofA(user));
               });
    }
    void compareValues(const std::vector<ValueInfo>& a, const std::vector<ValueInfo>& b) {
        if (a.empty() || b.empty()) return;
        const auto differs = [&](auto member) {
            return !std::equal(a.begin(), a.end(), b.begin(), b.end(),
                               [&](const ValueInfo& x, const ValueInfo& y) { return x.*member == y.*member; });
        };
        note(Aspect::Shape, differs(&ValueInfo::sizes));
        note(Aspect::Dtype, differs(&ValueInfo::dtype));
    }

    const Graph &m_a, &m_b;
    const Counterparts& m_counterparts;
    TreeDiff& m_tree;
    bool m_isFile; ///< arguments are compared by their text: opaque objects have other ids in another file
    std::vector<bool> m_moved;
    std::vector<Aspect> m_what;
};

} // namespace

std::string_view aspectName(Aspect aspect) { return kAspectNames[static_cast<std::size_t>(aspect)]; }

ModelDiff diffModels(const GraphModule& a, const GraphModule& b, const DiffOptions& options, const Progress& progress) {
    const Counterparts counterparts =
        options.scope == DiffScope::Models ? Counterparts(a, b) : Counterparts::byPosition(a, b);
    TreeDiff tree(a, b, options, progress);
    NodeDiff nodes(a, b, counterparts, tree, options.scope);
    ModelDiff diff;
    diff.counterparts.assign(a.graph.idLimit(), kNoNode);
    for (const Node& node : a.graph.nodes()) {
        progress.check();
        const NodeId other = diff.counterparts[index(node.id())] = counterparts.ofA(node.id());
        if (other == kNoNode) diff.removed.push_back(node.id());
        else if (auto what = nodes.compare(node, b.graph.node(other)); !what.empty())
            diff.changed.push_back({node.id(), other, std::move(what)});
    }
    for (const Node& node : b.graph.nodes())
        if (counterparts.ofB(node.id()) == kNoNode) diff.added.push_back(node.id());
    tree.finish(diff);
    return diff;
}

} // namespace fx
