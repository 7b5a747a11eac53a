// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/match/relaxation.h"

namespace fx {

/// The rule of `SubgraphMatcher` that a location violates.
enum class MatchRule : std::uint8_t {
    Target,
    Op,
    Args,
    Keywords,
    Literal,
    Attribute,
    UsersOutside,
    PlaceholderType,
    Output,
    Overlap
};
/// Returns the name on the command line: "users_outside".
std::string_view ruleName(MatchRule rule);

/// One reason why a pattern does not match.
struct Mismatch {
    MatchRule rule = MatchRule::Target;
    NodeId patternNode = kNoNode;
    NodeId graphNode = kNoNode; ///< the node in question, or kNoNode
    Message why;                ///< the explanation for the user
    RelaxationList remedies;    ///< each may resolve the mismatch on its own
};

/// A location where a pattern nearly matches.
struct NearMiss {
    NodeId anchor = kNoNode; ///< the graph node for the pattern's first result
    std::size_t matched = 0; ///< pattern nodes with an equal graph node, without inputs and output
    std::size_t of = 0;      ///< pattern nodes, without inputs and output
    /// Never empty. In the order of the comparison, from the results towards the inputs.
    std::vector<Mismatch> mismatches;
    /// Each element alone produces a match here, verified with `SubgraphMatcher`. Empty if no relaxation helps.
    std::vector<RelaxationList> relax;
    std::vector<std::pair<NodeId, Binding>> nodesMap; ///< the compared pairs, as in InternalMatch
};

/// Explains why `pattern` does not match where one might expect it to. Sorts locations by the number of equal nodes
/// (most first), then by the number of mismatches, then in graph order. Returns at most `limit` locations; each has an
/// equal node that earlier ones lack. Nodes of matches are not locations, except those of matches that overlap a kept
/// one.
///
/// The comparison is greedy and never backtracks: O(graph nodes × pattern size), plus one run of `SubgraphMatcher` per
/// proposed relaxation. Throws like `SubgraphMatcher` for invalid patterns, and Error{Cancelled}. Any thread.
std::vector<NearMiss> explain(const GraphModule& target, const GraphModule& pattern, const MatcherOptions& options = {},
                              std::size_t limit = 10, const Progress& progress = {});

} // namespace fx
