// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/edit/version_marks.h"

#include "core/edit/recreated_nodes.h"

namespace fx {
namespace {

bool isIn(const Graph& graph, NodeId id) { return index(id) < graph.idLimit() && !graph.node(id).erased(); }

class VersionComparison {
public:
    VersionComparison(const GraphModule& from, const GraphModule& to)
        : m_from(from.graph), m_to(to.graph), m_fromPaths(*from.root), m_toPaths(*to.root),
          m_sameTree(from.root == to.root) {}

    bool isEdited(NodeId id) {
        const Node &was = m_from.node(id), &is = m_to.node(id);
        if (&was != &is && !sameCall(was, is)) return true;
        if (m_sameTree || (is.op() != Op::CallModule && is.op() != Op::GetAttr)) return false;
        const PathTarget before = m_fromPaths.resolve(is.target()), after = m_toPaths.resolve(is.target());
        return before.module != after.module || before.tensor != after.tensor;
    }

private:
    bool sameCall(const Node& was, const Node& is) const {
        if (was.op() != is.op() || was.name() != is.name() || was.target() != is.target()) return false;
        if (was.type() != is.type() || was.args().size() != is.args().size() ||
            was.kwargs().size() != is.kwargs().size() || was.inputs().size() != is.inputs().size())
            return false;
        const auto replaced = [&](NodeId input) -> Argument {
            for (std::size_t i = 0; i < was.inputs().size(); ++i)
                if (was.inputs()[i] == input && stands(is.inputs()[i], input)) return is.inputs()[i];
            return input;
        };
        for (std::size_t i = 0; i < was.args().size(); ++i)
            if (!(mapNodes(was.args()[i], replaced) == is.args()[i])) return false;
        for (std::size_t i = 0; i < was.kwargs().size(); ++i)
            if (was.kwargs()[i].first != is.kwargs()[i].first ||
                !(mapNodes(was.kwargs()[i].second, replaced) == is.kwargs()[i].second))
                return false;
        return true;
    }
    /// Whether a new node took the place of one that is gone.
    bool stands(NodeId now, NodeId before) const { return !isIn(m_to, before) && !isIn(m_from, now); }

    const Graph &m_from, &m_to;
    PathResolver m_fromPaths, m_toPaths;
    bool m_sameTree;
};

} // namespace

VersionMarks versionMarks(const GraphModule& from, const GraphModule& to) {
    VersionMarks marks;
    VersionComparison comparison(from, to);
    const RecreatedNodes recreated(from, to, compareVersions(from.graph, to.graph));
    for (NodeId id = to.graph.first(); id != kNoNode; id = to.graph.next(id)) {
        if (recreated.original(id) != id) continue; // it is what was there
        if (!isIn(from.graph, id)) marks.created.push_back(id);
        else if (comparison.isEdited(id)) marks.edited.push_back(id);
    }
    return marks;
}

} // namespace fx
