// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/edit/stage_links.h"

#include "core/diff/counterparts.h"

#include <algorithm>

namespace fx {
namespace {
void link(StageLinks& links, NodeId a, NodeId b) {
    auto& known = links.ofA[index(a)];
    if (std::find(known.begin(), known.end(), b) != known.end()) return;
    known.push_back(b);
    links.ofB[index(b)].push_back(a);
}

/// By the maps: `forward` from names of A to names of B.
void linkTracked(StageLinks& links, const Graph& a, const Graph& b, const Provenance::Links& forward) {
    for (const Node& node : a.nodes()) {
        const auto names = forward.find(node.name());
        if (names == forward.end()) continue;
        for (const std::string& name : names->second)
            if (const NodeId other = b.find(name); other != kNoNode) link(links, node.id(), other);
        links.tracked += !links.ofA[index(node.id())].empty();
    }
}
} // namespace

StageLinks linkStages(const StageGraph& a, const StageGraph& b, const Provenance& provenance) {
    const Graph &graphA = a.module.graph, &graphB = b.module.graph;
    StageLinks links;
    links.ofA.resize(graphA.idLimit());
    links.ofB.resize(graphB.idLimit());
    if (a.isBefore && !b.isBefore) linkTracked(links, graphA, graphB, provenance.preToPost);
    if (!a.isBefore && b.isBefore) linkTracked(links, graphA, graphB, provenance.postToPre);
    const Counterparts counterparts(a.module, b.module);
    for (const Node& node : graphA.nodes()) {
        const NodeId other = counterparts.ofA(node.id());
        if (other != kNoNode && links.ofA[index(node.id())].empty() && links.ofB[index(other)].empty())
            link(links, node.id(), other);
    }
    return links;
}

} // namespace fx
