// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/json/json_document.h"
#include "core/match/rewriter.h"

namespace fx {

/// A condition on the graph nodes that a pattern's nodes matched: the `match_filters` of torch.fx as data (docs/cli.md,
/// "Filters").
///
///     {"all": [{"node": "conv", "module_type": "torch.nn.Conv2d"}, {"not": {"node": "relu", "users": {"min": 2}}}]}
///
/// Information that the file lacks (mostly shapes and dtypes) is unknown, and so is every condition that depends on it,
/// even when negated.
class MatchCondition {
public:
    enum class Answer : std::uint8_t { No, Yes, Unknown };

    /// Throws Error{Refused} with the location in the JSON and a hint for unknown keys, unknown pattern nodes and
    /// values of the wrong kind. `pattern` must outlive the condition.
    static MatchCondition parse(const JsonValue& json, const GraphModule& pattern);
    /// The same from text. Invalid JSON is Error{Refused}, too.
    static MatchCondition parseText(std::string text, const GraphModule& pattern);

    Answer holds(const InternalMatch& match, const GraphModule& target) const;

    /// A filter that accepts matches for which the condition certainly holds, and counts unknown ones in `*unknown`.
    MatchFilter filter(std::shared_ptr<std::size_t> unknown) const;
    /// The warning for this number of dropped matches.
    static Warning unknownWarning(std::size_t unknown);

private:
    /// What a pattern node matched.
    struct Subject {
        const Binding& bound;
        const Node* node; ///< null: a literal, a module, or nothing
        PathResolver& paths;
    };
    using Test = std::function<Answer(const Subject&)>;
    enum class Kind : std::uint8_t { All, Any, Not, Node };

    class Reader;
    Answer holds(const InternalMatch& match, const Graph& graph, PathResolver& paths) const;
    static Answer combined(Kind kind, Answer a, Answer b);

    Kind m_kind = Kind::All;
    std::vector<MatchCondition> m_parts; ///< of All, Any and Not
    NodeId m_node = kNoNode;             ///< of Node: the pattern node
    std::vector<Test> m_tests;           ///< of Node: all must hold
};

} // namespace fx
