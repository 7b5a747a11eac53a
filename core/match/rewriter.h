// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/match/subgraph_matcher.h"

namespace fx {

/// Decides whether a match is replaced.
using MatchFilter =
    std::function<bool(const InternalMatch& match, const GraphModule& target, const GraphModule& pattern)>;

/// How `replacePattern` matches and replaces; the defaults are torch.fx's.
struct RewriteOptions {
    bool ignoreLiterals = false;
    std::string nodeNameMatch;
    Relaxations relaxations;
    std::vector<MatchFilter> filters; ///< all have to agree
    /// The replacement is a module, not a function: its modules and tensors come along, and modules of the target that
    /// nothing uses any more go (torch.fx does both only then).
    bool replacementIsModule = false;
    std::size_t* givenUp = nullptr; ///< not null: as in SubgraphMatcher::match
};

/// torch.fx `ReplacedPatterns`.
struct ReplacedPattern {
    NodeId anchor = kNoNode; ///< pattern node
    std::vector<std::pair<NodeId, Binding>>
        nodesMap;                     ///< as in InternalMatch; inputs that were replaced before are updated
    std::vector<NodeId> replacements; ///< nodes that stand in the graph instead
};

/// torch.fx 2.13 `replace_pattern_with_filters`: replaces what `pattern` matches by `replacement`. Names, order of
/// nodes and of users are torch.fx's. Throws Error{Refused} when torch.fx would raise; `target` is then half changed:
/// work on a copy.
std::vector<ReplacedPattern> replacePattern(GraphModule& target, const GraphModule& pattern,
                                            const GraphModule& replacement, const RewriteOptions& options = {},
                                            const Progress& progress = {});

} // namespace fx
