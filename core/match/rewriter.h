// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/match/subgraph_matcher.h"

namespace fx {

/// Returns true if a match shall be replaced. Mirrors torch.fx `match_filters`.
using MatchFilter =
    std::function<bool(const InternalMatch& match, const GraphModule& target, const GraphModule& pattern)>;

struct ReplacedPattern;

/// How `replacePattern` matches and replaces; the defaults are torch.fx's.
struct RewriteOptions {
    bool ignoreLiterals = false;
    std::string nodeNameMatch;
    Relaxations relaxations;
    std::vector<MatchFilter> filters; ///< all must accept a match
    /// torch.fx `replacement_callback`: creates the replacement of a match just before the match is replaced. If set,
    /// the graph of the replacement module is not used.
    std::function<Graph(const InternalMatch& match)> makeReplacement;
    /// True if the replacement is a module, not a function. Adds its modules and tensors to the target and removes
    /// modules that become unused, as torch.fx does in this case only.
    bool replacementIsModule = false;
    /// Creates a module for each match. `called` is the path of the call in the replacement and one of `newModules`;
    /// `path` is where the module is inserted (see `NewPaths`). Called in the order of matches, then of calls in the
    /// replacement. torch.fx has no equivalent.
    using MakeModule = std::function<std::shared_ptr<Module>(const std::string& called, const std::string& path)>;
    MakeModule makeModule;
    std::set<std::string> newModules; ///< paths in the replacement that `makeModule` creates
    std::size_t* givenUp = nullptr;   ///< receives the count of `SubgraphMatcher::match` unless null
    /// Called just before a match is replaced; the match stays if it returns false.
    std::function<bool(const InternalMatch& match)> mayReplace;
    /// Called after each replacement, when the graph is consistent again. May change the created nodes.
    std::function<void(const ReplacedPattern& replaced)> afterReplacing;
};

/// torch.fx `ReplacedPatterns`.
struct ReplacedPattern {
    NodeId anchor = kNoNode; ///< pattern node
    /// Maps pattern nodes as `InternalMatch` does. Inputs that were already replaced are updated.
    std::vector<std::pair<NodeId, Binding>> nodesMap;
    std::vector<NodeId> replacements; ///< nodes that replace the match
};

/// torch.fx 2.13 `replace_pattern_with_filters`: replaces the matches of `pattern` with `replacement`. Node names, node
/// order and user order equal those of torch.fx. Throws Error{Refused} where torch.fx raises; `target` may then be
/// partially changed, so pass a copy.
std::vector<ReplacedPattern> replacePattern(GraphModule& target, const GraphModule& pattern,
                                            const GraphModule& replacement, const RewriteOptions& options = {},
                                            const Progress& progress = {});

} // namespace fx
