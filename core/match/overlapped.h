// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/match/subgraph_matcher.h"

namespace fx {

/// A match that `remove_overlapping_matches` drops: it shares nodes with one before it.
struct OverlappedMatch {
    InternalMatch match;
    std::size_t with = 0;    ///< the first of the matches that are kept with which it shares a node
    NodeId shared = kNoNode; ///< such a node, the first in the order of the search
};

/// What torch.fx drops in silence: the matches of `matcher`'s pattern in `target` that overlap one of `kept`, which
/// `matcher` has found there. In the order of the search, at most `limit`; none when the matcher keeps matches that
/// overlap. As fast as a search that keeps them. Throws Error{Cancelled}. Any thread.
std::vector<OverlappedMatch> overlappedMatches(const GraphModule& target, const SubgraphMatcher& matcher,
                                               const std::vector<InternalMatch>& kept, std::size_t limit,
                                               const Progress& progress = {});

} // namespace fx
