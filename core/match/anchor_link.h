// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/match/subgraph_matcher.h"

namespace fx {

/// Connects an anchor of a pattern to earlier ones: one of their nodes, and the path from it to the anchor.
struct AnchorLink {
    NodeId from = kNoNode;
    std::vector<NodeId> way; ///< pattern nodes after `from`, the anchor last
};

/// Finds where the walk from an anchor towards the inputs meets nodes of earlier anchors, except through arguments that
/// the matcher's relaxations ignore.
std::vector<AnchorLink> anchorLinks(const SubgraphMatcher& matcher, std::size_t anchor);

} // namespace fx
