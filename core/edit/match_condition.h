// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/json/json_document.h"
#include "core/match/rewriter.h"

namespace fx {

/// A condition on the nodes that matched a pattern: torch.fx's `match_filters` as data (docs/cli/match.md, "Filters").
///
///     {"all": [{"node": "conv", "module_type": "torch.nn.Conv2d"}, {"not": {"node": "relu", "users": {"min": 2}}}]}
///
/// If information is missing from the file (mostly shapes and dtypes), every condition that depends on it is unknown,
/// even when negated.
class MatchCondition {
public:
    enum class Answer : std::uint8_t { No, Yes, Unknown }; ///< Unknown: the file lacks information

    /// Reads a condition from JSON. Throws Error{Refused} with the location in the JSON and a hint for unknown keys,
    /// unknown pattern nodes and values of the wrong type. `pattern` must outlive the condition.
    static MatchCondition parse(const JsonValue& json, const GraphModule& pattern);
    /// As `parse`, from text. Also throws Error{Refused} for invalid JSON.
    static MatchCondition parseText(std::string text, const GraphModule& pattern);

    /// Evaluates the condition for a match.
    Answer holds(const InternalMatch& match, const GraphModule& target) const;

    /// Returns a filter that accepts matches for which the condition is known to hold, and counts unknown results in
    /// `*unknown`.
    MatchFilter filter(std::shared_ptr<std::size_t> unknown) const;
    /// Returns the warning for this number of matches dropped as unknown.
    static Warning unknownWarning(std::size_t unknown);

private:
    /// The nodes that pattern nodes matched.
    struct Subject {
        const Binding& bound;
        const Node* node; ///< null: a literal, a module, or no match
        PathResolver& paths;
    };
    using Test = std::function<Answer(const Subject&)>;
    enum class Kind : std::uint8_t { All, Any, Not, Node };

    class Reader;
    Answer holds(const InternalMatch& match, const Graph& graph, PathResolver& paths) const;
    static Answer combined(Kind kind, Answer a, Answer b);

    Kind m_kind = Kind::All;
    std::vector<MatchCondition> m_parts; ///< for All, Any and Not
    NodeId m_node = kNoNode;             ///< for Node: the pattern node
    std::vector<Test> m_tests;           ///< for Node: all must hold
};

} // namespace fx
