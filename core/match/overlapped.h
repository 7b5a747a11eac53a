// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/match/subgraph_matcher.h"

namespace fx {

/// A match that `remove_overlapping_matches` drops because it shares nodes with an earlier one.
struct OverlappedMatch {
    InternalMatch match;
    std::size_t with = 0;    ///< index of the first kept match that shares a node
    NodeId shared = kNoNode; ///< the first shared node in search order
};

/// Returns the matches that torch.fx drops silently: those in `target` that overlap one of `kept`, which `matcher`
/// found there. They are in search order, at most `limit`. Returns none if the matcher keeps overlapping matches. Takes
/// as long as a search that keeps them. Throws Error{Cancelled}. Any thread.
std::vector<OverlappedMatch> overlappedMatches(const GraphModule& target, const SubgraphMatcher& matcher,
                                               const std::vector<InternalMatch>& kept, std::size_t limit,
                                               const Progress& progress = {});

} // namespace fx
