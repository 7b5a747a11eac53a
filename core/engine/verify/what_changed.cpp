// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/verify/what_changed.h"

#include <algorithm>

namespace fx::engine {
namespace {

/// Names that are each told once.
class TouchedNames {
public:
    void add(const std::string& name) {
        if (std::find(m_names.begin(), m_names.end(), name) == m_names.end()) m_names.push_back(name);
    }
    const std::vector<std::string>& all() const { return m_names; }

private:
    std::vector<std::string> m_names;
};

std::vector<NodeId> inOrder(const Graph& graph, std::vector<NodeId> nodes) {
    std::sort(nodes.begin(), nodes.end(), [&](NodeId x, NodeId y) { return x != y && graph.isBefore(x, y); });
    return nodes;
}

} // namespace

std::vector<std::string> whatChanged(const VerifySide& a, const VerifySide& b, const ChangedPart& part,
                                     const std::vector<ChangedPart::Pair>& exits) {
    const Graph &graphA = a.model->graph, &graphB = b.model->graph;
    std::vector<bool> isInA(graphB.idLimit());
    for (const Node& node : graphA.nodes())
        if (const NodeId other = part.counterpart(node.id()); other != kNoNode) isInA[index(other)] = true;
    TouchedNames names;
    for (const ChangedPart::Pair& exit : exits) {
        const ChangedPart::Region region = part.regionOf({exit});
        const std::size_t before = names.all().size();
        for (const NodeId id : inOrder(graphA, region.a)) {
            const NodeId other = part.counterpart(id);
            const bool isCompared = part.isChangedA(id) && other != kNoNode;
            const bool isGone = part.isChangedA(id) && other == kNoNode && graphA.node(id).isCall();
            if (isGone || (isCompared && !sameApartFromInputs(graphA.node(id), graphB.node(other), a, b)))
                names.add(graphA.node(id).name());
        }
        for (const NodeId id : inOrder(graphB, region.b))
            if (part.isChangedB(id) && !isInA[index(id)] && graphB.node(id).isCall()) names.add(graphB.node(id).name());
        if (names.all().size() == before) names.add(graphA.node(exit.first).name());
    }
    return names.all();
}

} // namespace fx::engine
