// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/match/subgraph_matcher.h"

namespace fx {

/// How an anchor of a pattern hangs together with earlier ones: a node of theirs, and the way back from it to the
/// anchor.
struct AnchorLink {
    NodeId from = kNoNode;
    std::vector<NodeId> way; ///< pattern nodes after `from`, the anchor last
};

/// Where the walk from an anchor towards the inputs meets nodes of earlier anchors, except by arguments that the
/// matcher's relaxations leave free.
std::vector<AnchorLink> anchorLinks(const SubgraphMatcher& matcher, std::size_t anchor);

} // namespace fx
