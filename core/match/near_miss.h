// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/match/relaxation.h"

namespace fx {

/// The rule of SubgraphMatcher that a place in a graph breaks.
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
/// "users_outside": the word of the command line.
std::string_view ruleName(MatchRule rule);

/// One thing that keeps a place in a graph from matching.
struct Mismatch {
    MatchRule rule = MatchRule::Target;
    NodeId patternNode = kNoNode;
    NodeId graphNode = kNoNode; ///< what stands there; kNoNode: nothing does
    std::string why;            ///< in words
    RelaxationList remedies;    ///< any of these might lift it
};

/// A place where a pattern nearly matches.
struct NearMiss {
    NodeId anchor = kNoNode; ///< the graph node that the pattern's first result stands for
    std::size_t matched = 0; ///< pattern nodes, inputs and output aside, that have an equal node here
    std::size_t of = 0;      ///< how many the pattern has
    std::vector<Mismatch>
        mismatches; ///< in the order of the comparison, from the results towards the inputs; never empty
    /// Each element alone makes this place match; tried with SubgraphMatcher. Empty: no relaxation helps.
    std::vector<RelaxationList> relax;
    std::vector<std::pair<NodeId, Binding>> nodesMap; ///< what was compared with what, as in InternalMatch
};

/// Says why `pattern` does not match where one could expect it to: the places with most equal nodes first, those with
/// fewer mismatches before others, then in graph order. At most `limit` of them; each brings an equal node that those
/// before do not have. Places inside of matches are left out.
///
/// The comparison is greedy and never goes back: time is at most nodes of the graph times size of the pattern, and one
/// run of SubgraphMatcher for each relaxation that is proposed. Throws what SubgraphMatcher throws for patterns that
/// cannot be used, and Error{Cancelled}. Any thread.
std::vector<NearMiss> explain(const GraphModule& target, const GraphModule& pattern, const MatcherOptions& options = {},
                              std::size_t limit = 10, const Progress& progress = {});

} // namespace fx
