// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/match/relaxation.h"

namespace fx {

/// The rule of SubgraphMatcher that is violated.
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
/// The name on the command line: "users_outside".
std::string_view ruleName(MatchRule rule);

/// One reason why a pattern does not match.
struct Mismatch {
    MatchRule rule = MatchRule::Target;
    NodeId patternNode = kNoNode;
    NodeId graphNode = kNoNode; ///< the node in question, or kNoNode
    Message why;
    RelaxationList remedies; ///< any of these might resolve it
};

/// A location where a pattern nearly matches.
struct NearMiss {
    NodeId anchor = kNoNode; ///< the graph node for the pattern's first result
    std::size_t matched = 0; ///< number of pattern nodes with an equal node here, without inputs and output
    std::size_t of = 0;      ///< number of pattern nodes
    std::vector<Mismatch>
        mismatches; ///< in the order of the comparison, from the results towards the inputs; never empty
    /// Each element alone produces a match here, as verified with SubgraphMatcher. Empty if no relaxation helps.
    std::vector<RelaxationList> relax;
    std::vector<std::pair<NodeId, Binding>> nodesMap; ///< the compared pairs, as in InternalMatch
};

/// Explains why `pattern` does not match where it might be expected to. Locations are sorted by the number of equal
/// nodes, then by fewer mismatches, then in graph order. Returns at most `limit`; each has an equal node that earlier
/// ones lack. Nodes of matches are no locations, except for matches that overlap them.
///
/// The comparison is greedy without backtracking: it takes at most nodes of the graph times size of the pattern, plus
/// one run of SubgraphMatcher per proposed relaxation. Throws like SubgraphMatcher for invalid patterns, and
/// Error{Cancelled}. Any thread.
std::vector<NearMiss> explain(const GraphModule& target, const GraphModule& pattern, const MatcherOptions& options = {},
                              std::size_t limit = 10, const Progress& progress = {});

} // namespace fx
