// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/json/json_document.h"
#include "core/match/rewriter.h"

namespace fx {

/// A condition on what a pattern's nodes stand for in a match: the `match_filters` of torch.fx as data (docs/cli.md,
/// "Filters").
///
///     {"all": [{"node": "conv", "module_type": "torch.nn.Conv2d"}, {"not": {"node": "relu", "users": {"min": 2}}}]}
///
/// What a file does not say (shapes and dtypes, mostly) is unknown, and so is a condition that hangs on it, negated or
/// not.
class MatchCondition {
public:
    enum class Answer : std::uint8_t { No, Yes, Unknown };

    /// Throws Error{Refused} with the place in the JSON and a remedy: for unknown keys, for nodes that the pattern does
    /// not have, for values of the wrong kind. `pattern` must outlive the condition.
    static MatchCondition parse(const JsonValue& json, const GraphModule& pattern);
    /// The same from text; text that is no JSON is Error{Refused} too.
    static MatchCondition parseText(std::string text, const GraphModule& pattern);

    Answer holds(const InternalMatch& match, const GraphModule& target) const;

    /// A filter that lets through what surely holds; it counts what is unknown in `*unknown`.
    MatchFilter filter(std::shared_ptr<std::size_t> unknown) const;
    /// How to tell that so many matches were left out.
    static std::string unknownText(std::size_t unknown);

private:
    /// What one pattern node stands for.
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
    NodeId m_node = kNoNode;             ///< of Node: the pattern's
    std::vector<Test> m_tests;           ///< of Node: all have to hold
};

} // namespace fx
