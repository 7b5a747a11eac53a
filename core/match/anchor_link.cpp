// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/match/anchor_link.h"

namespace fx {

std::vector<AnchorLink> anchorLinks(const SubgraphMatcher& matcher, std::size_t anchor) {
    const Graph& pattern = matcher.pattern().graph;
    const Relaxations& relaxations = matcher.options().relaxations;
    const auto isLoose = [&](NodeId node) {
        return relaxations.optional.contains(node) || relaxations.arguments.contains(node);
    };
    std::vector<bool> earlier(pattern.idLimit());
    const auto visit = [&](NodeId start, auto&& meet) {
        std::vector<NodeId> open{start};
        std::vector<NodeId> cameFrom(pattern.idLimit(), kNoNode);
        for (std::size_t i = 0; i < open.size(); ++i) {
            if (isLoose(open[i])) continue; // what it takes need not be the pattern's
            for (const NodeId input : pattern.node(open[i]).inputs()) {
                if (cameFrom[index(input)] != kNoNode || input == start) continue;
                cameFrom[index(input)] = open[i];
                if (meet(input, cameFrom)) open.push_back(input);
            }
        }
    };
    for (std::size_t i = 0; i < anchor; ++i) {
        earlier[index(matcher.anchors()[i])] = true;
        visit(matcher.anchors()[i], [&](NodeId node, const auto&) { return earlier[index(node)] = true; });
    }
    std::vector<AnchorLink> links;
    const NodeId start = matcher.anchors()[anchor];
    visit(start, [&](NodeId node, const std::vector<NodeId>& cameFrom) {
        if (!earlier[index(node)]) return true;
        AnchorLink link{node, {}};
        for (NodeId at = cameFrom[index(node)];; at = cameFrom[index(at)]) {
            link.way.push_back(at);
            if (at == start) break;
        }
        links.push_back(std::move(link));
        return false;
    });
    return links;
}

} // namespace fx
