// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/match/subgraph_matcher.h"

#include <string_view>

namespace fx {

/// One way to make a matcher less strict, as data: shown, chosen, and put into MatcherOptions.
struct Relaxation {
    enum class Kind : std::uint8_t {
        Target,       ///< `patternNode` may also be a call of `value`
        Argument,     ///< argument `value` of `patternNode` is not compared
        OutsideUsers, ///< `patternNode` may be used outside of the match
        Optional,     ///< `patternNode` may be missing
        Commutative,  ///< operands may change places
        Literals,     ///< no literals are compared
        Overlap,      ///< matches may share nodes
        AnyInput,     ///< inputs of the pattern stand for any value
        AnyOutput,    ///< the results of the pattern need not be the graph's
    };
    Kind kind = Kind::Commutative;
    NodeId patternNode = kNoNode; ///< of the first four
    std::string value;

    bool operator==(const Relaxation&) const = default;
};
using RelaxationList = std::vector<Relaxation>;

/// Loosens `options` by all of `relaxations`.
void relax(MatcherOptions& options, const RelaxationList& relaxations);

/// The list as one word for the command line: `target:relu=torch.nn.functional.relu6,users:conv`.
std::string relaxationText(const Graph& pattern, const RelaxationList& relaxations);
/// Reads such a word. Throws Error{Usage} that says what may stand there.
RelaxationList parseRelaxations(const Graph& pattern, std::string_view text);

} // namespace fx
