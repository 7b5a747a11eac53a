// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/match/subgraph_matcher.h"

#include <string_view>

namespace fx {

/// One relaxation of a matcher, as data that can be shown and applied to `MatcherOptions`.
struct Relaxation {
    /// The rule that is relaxed.
    enum class Kind : std::uint8_t {
        Target,       ///< `patternNode` also accepts a call of `value`
        Argument,     ///< argument `value` of `patternNode` is ignored
        OutsideUsers, ///< `patternNode` may be used outside the match
        Optional,     ///< `patternNode` may be absent
        Commutative,  ///< operands match in any order
        Literals,     ///< all literals are ignored
        Overlap,      ///< matches may share nodes
        AnyInput,     ///< inputs of the pattern match any value
        AnyOutput,    ///< results of the pattern need not be outputs of the graph
    };
    Kind kind = Kind::Commutative;
    NodeId patternNode = kNoNode; ///< used by the first four kinds
    std::string value;            ///< used by Target and Argument

    bool operator==(const Relaxation&) const = default;
};
/// Relaxations that apply together.
using RelaxationList = std::vector<Relaxation>;

/// Applies all `relaxations` to `options`.
void relax(MatcherOptions& options, const RelaxationList& relaxations);

/// Formats the list as one word for the command line: `target:relu=torch.nn.functional.relu6,users:conv`.
std::string relaxationText(const Graph& pattern, const RelaxationList& relaxations);
/// Parses such a word. Throws Error{Usage} with the expected form.
RelaxationList parseRelaxations(const Graph& pattern, std::string_view text);

} // namespace fx
