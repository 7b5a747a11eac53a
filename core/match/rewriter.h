// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/match/subgraph_matcher.h"

namespace fx {

/// Decides whether a match is replaced.
using MatchFilter =
    std::function<bool(const InternalMatch& match, const GraphModule& target, const GraphModule& pattern)>;

struct ReplacedPattern;

/// How `replacePattern` matches and replaces; the defaults are torch.fx's.
struct RewriteOptions {
    bool ignoreLiterals = false;
    std::string nodeNameMatch;
    Relaxations relaxations;
    std::vector<MatchFilter> filters; ///< all must accept
    /// torch.fx `replacement_callback`: makes what a match is replaced with when its turn comes, in the place of the
    /// replacement. Not null: the replacement's graph is not used.
    std::function<Graph(const InternalMatch& match)> makeReplacement;
    /// The replacement is a module, not a function: its modules and tensors are added, and modules of the target that
    /// are no longer used are removed (torch.fx does both only in this case).
    bool replacementIsModule = false;
    /// Makes a module that the replacement creates anew for each match: the one that the replacement calls at
    /// `called`, which is in `newModules`. `path` is where it is put (see NewPaths). Called in the order of matches,
    /// and of calls in the replacement. torch.fx has no equivalent.
    using MakeModule = std::function<std::shared_ptr<Module>(const std::string& called, const std::string& path)>;
    MakeModule makeModule;
    std::set<std::string> newModules; ///< paths in the replacement that `makeModule` is for
    std::size_t* givenUp = nullptr;   ///< not null: as in SubgraphMatcher::match
    /// Asked when the turn of a match comes; one that may not be replaced stays.
    std::function<bool(const InternalMatch& match)> mayReplace;
    /// Told after each replacement, when the graph is whole again; may change what was created.
    std::function<void(const ReplacedPattern& replaced)> afterReplacing;
};

/// torch.fx `ReplacedPatterns`.
struct ReplacedPattern {
    NodeId anchor = kNoNode; ///< pattern node
    std::vector<std::pair<NodeId, Binding>>
        nodesMap;                     ///< as in InternalMatch; inputs that were already replaced are updated
    std::vector<NodeId> replacements; ///< replacing nodes
};

/// torch.fx 2.13 `replace_pattern_with_filters`: replaces the matches of `pattern` with `replacement`. Names, order of
/// nodes and of users equal torch.fx's. Throws Error{Refused} if torch.fx would raise; `target` may then be partially
/// changed, so work on a copy.
std::vector<ReplacedPattern> replacePattern(GraphModule& target, const GraphModule& pattern,
                                            const GraphModule& replacement, const RewriteOptions& options = {},
                                            const Progress& progress = {});

} // namespace fx
