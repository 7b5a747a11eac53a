// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/match/overlapped.h"

#include <limits>

namespace fx {
namespace {

constexpr std::size_t kNoMatch = std::numeric_limits<std::size_t>::max();

/// Calls `visit` with each graph node of `match` that no other match may have.
template<typename Visit> void forEachOwned(const Graph& pattern, const InternalMatch& match, Visit visit) {
    for (const auto& [node, bound] : match.nodesMap) {
        const Op op = pattern.node(node).op();
        if (op != Op::Placeholder && op != Op::Output && bound.value.isNode()) visit(bound.value.node());
    }
}

} // namespace

std::vector<OverlappedMatch> overlappedMatches(const GraphModule& target, const SubgraphMatcher& matcher,
                                               const std::vector<InternalMatch>& kept, std::size_t limit,
                                               const Progress& progress) {
    if (!matcher.options().removeOverlapping || kept.empty() || limit == 0) return {};
    const Graph& pattern = matcher.pattern().graph;
    std::vector<std::size_t> owner(target.graph.idLimit(), kNoMatch);
    for (std::size_t i = 0; i < kept.size(); ++i)
        forEachOwned(pattern, kept[i], [&](NodeId node) { owner[index(node)] = i; });

    MatcherOptions options = matcher.options();
    options.removeOverlapping = false;
    options.limit = kept.size() + limit;
    std::vector<OverlappedMatch> dropped;
    for (InternalMatch& match : SubgraphMatcher(matcher.pattern(), options).match(target, progress)) {
        std::size_t with = kNoMatch;
        NodeId shared = kNoNode;
        forEachOwned(pattern, match, [&](NodeId node) {
            if (owner[index(node)] < with) with = owner[index(node)], shared = node;
        });
        // One that shares nothing would make a cycle; torch.fx looks for these only where it drops overlaps.
        if (with == kNoMatch || kept[with].nodesMap == match.nodesMap) continue;
        dropped.push_back({std::move(match), with, shared});
        if (dropped.size() == limit) break;
    }
    return dropped;
}

} // namespace fx
