// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/match/subgraph_matcher.h"

namespace fx {

/// A path from a node of an earlier anchor to a later anchor of the same pattern.
struct AnchorLink {
    NodeId from = kNoNode;   ///< node of an earlier anchor
    std::vector<NodeId> way; ///< pattern nodes after `from`, the anchor last
};

/// Finds where the walk from an anchor towards the inputs meets nodes of earlier anchors, except through arguments that
/// the matcher's relaxations ignore.
std::vector<AnchorLink> anchorLinks(const SubgraphMatcher& matcher, std::size_t anchor);

} // namespace fx
