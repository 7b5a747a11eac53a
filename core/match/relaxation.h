// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/match/subgraph_matcher.h"

#include <string_view>

namespace fx {

/// One way to make a matcher less strict, as data that can be shown and applied to MatcherOptions.
struct Relaxation {
    enum class Kind : std::uint8_t {
        Target,       ///< `patternNode` may also be a call of `value`
        Argument,     ///< argument `value` of `patternNode` is not compared
        OutsideUsers, ///< `patternNode` may be used outside the match
        Optional,     ///< `patternNode` may be missing
        Commutative,  ///< operands may be in any order
        Literals,     ///< no literals are compared
        Overlap,      ///< matches may share nodes
        AnyInput,     ///< inputs of the pattern match any value
        AnyOutput,    ///< the results of the pattern need not be outputs of the graph
    };
    Kind kind = Kind::Commutative;
    NodeId patternNode = kNoNode; ///< of the first four
    std::string value;

    bool operator==(const Relaxation&) const = default;
};
using RelaxationList = std::vector<Relaxation>;

/// Applies all `relaxations` to `options`.
void relax(MatcherOptions& options, const RelaxationList& relaxations);

/// The list as one word for the command line: `target:relu=torch.nn.functional.relu6,users:conv`.
std::string relaxationText(const Graph& pattern, const RelaxationList& relaxations);
/// Parses such a word. Throws Error{Usage} with the expected form.
RelaxationList parseRelaxations(const Graph& pattern, std::string_view text);

} // namespace fx
