// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/edit/version_marks.h"

#include "core/edit/recreated_nodes.h"

#include <optional>

namespace fx {
namespace {

bool isIn(const Graph& graph, NodeId id) { return index(id) < graph.idLimit() && !graph.node(id).erased(); }

/// Whether a version is a graph of its own, as what a quantisation makes: most names that both have are at other ids.
bool isRenumbered(const Graph& from, const Graph& to) {
    std::size_t moved = 0, stayed = 0;
    for (const Node& node : to.nodes()) {
        if (node.op() == Op::Placeholder || node.op() == Op::Output) continue;
        if (isIn(from, node.id()) && from.node(node.id()).name() == node.name()) ++stayed;
        else if (from.find(node.name()) != kNoNode) ++moved;
    }
    return moved > stayed;
}

class VersionComparison {
public:
    /// `recreated`: null when names tell which nodes are the same.
    VersionComparison(const GraphModule& from, const GraphModule& to, bool byName, const RecreatedNodes* recreated)
        : m_from(from.graph), m_to(to.graph), m_fromPaths(*from.root), m_toPaths(*to.root),
          m_sameTree(from.root == to.root), m_byName(byName) {
        if (!recreated || recreated->isEmpty()) return;
        m_successors.assign(m_from.idLimit(), kNoNode);
        for (const Node& node : m_to.nodes())
            if (const NodeId original = recreated->original(node.id()); original != node.id())
                m_successors[index(original)] = node.id();
    }

    /// The same node before, or kNoNode.
    NodeId before(NodeId id) const { return same(m_to, m_from, id); }

    bool isEdited(NodeId id) {
        const Node &was = m_from.node(before(id)), &is = m_to.node(id);
        if (&was != &is && !sameCall(was, is)) return true;
        if (m_sameTree || (is.op() != Op::CallModule && is.op() != Op::GetAttr)) return false;
        const PathTarget before = m_fromPaths.resolve(is.target()), after = m_toPaths.resolve(is.target());
        return before.module != after.module || before.tensor != after.tensor;
    }

private:
    NodeId same(const Graph& one, const Graph& other, NodeId id) const {
        if (!m_byName) return isIn(other, id) ? id : kNoNode;
        const Node& node = one.node(id);
        if (node.op() == Op::Output) return isIn(other, other.last()) ? other.last() : kNoNode;
        return other.find(node.name());
    }

    bool sameCall(const Node& was, const Node& is) const {
        if (was.op() != is.op() || was.name() != is.name() || was.target() != is.target()) return false;
        if (was.type() != is.type() || was.args().size() != is.args().size() ||
            was.kwargs().size() != is.kwargs().size() || was.inputs().size() != is.inputs().size())
            return false;
        const auto replaced = [&](NodeId input) -> Argument {
            if (const NodeId now = same(m_from, m_to, input); now != kNoNode) return now;
            if (index(input) < m_successors.size() && m_successors[index(input)] != kNoNode)
                return m_successors[index(input)];                // no other new node stands for it
            for (std::size_t i = 0; i < was.inputs().size(); ++i) // a new node took the place of one that is gone
                if (was.inputs()[i] == input && before(is.inputs()[i]) == kNoNode) return is.inputs()[i];
            return {};
        };
        for (std::size_t i = 0; i < was.args().size(); ++i)
            if (!(mapNodes(was.args()[i], replaced) == is.args()[i])) return false;
        for (std::size_t i = 0; i < was.kwargs().size(); ++i)
            if (was.kwargs()[i].first != is.kwargs()[i].first ||
                !(mapNodes(was.kwargs()[i].second, replaced) == is.kwargs()[i].second))
                return false;
        return true;
    }

    const Graph &m_from, &m_to;
    PathResolver m_fromPaths, m_toPaths;
    bool m_sameTree, m_byName;
    std::vector<NodeId> m_successors; ///< the node that recreates an erased one, by id; empty if no node was recreated
};

} // namespace

VersionMarks versionMarks(const GraphModule& from, const GraphModule& to) {
    VersionMarks marks;
    const bool byName = isRenumbered(from.graph, to.graph);
    std::optional<RecreatedNodes> recreated; // ids tell what was erased and created
    if (!byName) recreated.emplace(from, to, compareVersions(from.graph, to.graph));
    VersionComparison comparison(from, to, byName, recreated ? &*recreated : nullptr);
    for (NodeId id = to.graph.first(); id != kNoNode; id = to.graph.next(id)) {
        if (recreated && recreated->original(id) != id) continue; // it is what was there
        if (comparison.before(id) == kNoNode) marks.created.push_back(id);
        else if (comparison.isEdited(id)) marks.edited.push_back(id);
    }
    return marks;
}

void blameEdits(std::vector<ShapeFailure>& failures, const GraphModule& from, const GraphModule& to) {
    if (failures.empty()) return;
    const VersionMarks marks = versionMarks(from, to);
    std::vector<bool> changed(to.graph.idLimit());
    for (const auto* part : {&marks.created, &marks.edited})
        for (const NodeId id : *part) changed[index(id)] = true;
    std::vector<NodeId> last(to.graph.idLimit(), kNoNode); // the last changed node that leads to each one, or is it
    for (const Node& node : to.graph.nodes()) {
        NodeId& cause = last[index(node.id())];
        if (changed[index(node.id())]) {
            cause = node.id();
            continue;
        }
        for (const NodeId input : node.inputs())
            if (const NodeId other = last[index(input)];
                other != kNoNode && (cause == kNoNode || to.graph.isBefore(cause, other)))
                cause = other;
    }
    for (ShapeFailure& failure : failures) {
        const NodeId node = to.graph.find(failure.node);
        failure.causeIsEdit = node != kNoNode && last[index(node)] != kNoNode;
        if (failure.causeIsEdit) failure.cause = to.graph.node(last[index(node)]).name();
    }
}

} // namespace fx
