// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/edit/steps/step_list.h"
#include "core/match/subgraph_matcher.h"

#include <QByteArray>
#include <QString>

#include <optional>

namespace ui {

/// The maximum number of overlapped matches in a result.
constexpr std::size_t kMostOverlapped = 1000;

/// A query of the Pattern panel.
struct PatternQuery {
    QByteArray pattern;     ///< source of a function or nn.Module class
    QByteArray replacement; ///< likewise; empty: no replacement
    /// Options of the matcher; `keepOverlapping` keeps matches that share nodes.
    bool ignoreLiterals = false, commutative = false, keepOverlapping = false;
    std::vector<std::string> relaxations; ///< in the syntax of `lancet match --relax`
    bool operator==(const PatternQuery&) const = default;
};

/// A match for display.
struct PatternMatch {
    std::string anchor;            ///< name of the graph node that identifies the match
    std::vector<fx::NodeId> nodes; ///< in the order of the pattern
};

/// A match that was dropped because it shares a node with an earlier match.
struct PatternOverlap {
    PatternMatch match;              ///< the dropped match
    std::size_t with = 0;            ///< index of the earlier match
    fx::NodeId shared = fx::kNoNode; ///< the first shared node
};

/// The result of a pattern search.
struct PatternResult {
    std::vector<PatternMatch> matches;      ///< in the order of the matcher
    std::vector<PatternOverlap> overlapped; ///< at most kMostOverlapped
    std::size_t nodes = 0;                  ///< number of graph nodes in matches
    double millis = 0;                      ///< of the search alone
    std::size_t givenUp = 0;                ///< nodes at which the matcher reached its limit: matches may be missing
    std::optional<fx::Error> patternError, replacementError; ///< why pattern or replacement is invalid
    int patternLine = -1, replacementLine = -1;              ///< 0-based lines of the errors; -1: no line
};

/// Searches a model. Reports invalid sources in the result. `readers` follow the sources. Thread-safe. Throws
/// fx::Error{Cancelled}.
PatternResult searchPattern(const fx::GraphModule& module, const PatternQuery& query, const fx::Progress& progress,
                            const fx::Readers& readers = {});

/// Rewrites names in a message of the engine as users write them: "nn.BatchNorm2d" for the full path, "operator.add".
QString inWords(const std::string& text);
/// Formats how much of a pattern a near miss matches: "2 of 3 nodes fit". If all nodes match, something else prevents
/// the match.
QString fitInWords(std::size_t matched, std::size_t of);

/// A near miss for display.
struct PatternNearMiss {
    fx::NodeId anchor = fx::kNoNode; ///< kNoNode: no node of the graph
    std::string name;                ///< the name of the anchor
    QString why;                     ///< the first mismatch
    std::size_t matched = 0, of = 0; ///< pattern nodes that match, and all pattern nodes
    /// A relaxation of the query that turns the near miss into a match.
    struct Remedy {
        QString text;            ///< "Allow other users of conv1"
        std::string relaxations; ///< for PatternQuery
    };
    std::vector<Remedy> remedies; ///< alternatives: each alone produces a match
};

/// Returns at most `limit` near misses of the pattern of `query`; empty if the pattern is invalid. Thread-safe. Throws
/// fx::Error{Cancelled}.
std::vector<PatternNearMiss> explainPattern(const fx::GraphModule& module, const PatternQuery& query, std::size_t limit,
                                            const fx::Progress& progress, const fx::Readers& readers = {});

/// Returns the step that replaces the matches of `query` with these anchors; all matches if `anchors` is empty.
fx::StepList replaceStep(const PatternQuery& query, const std::vector<std::string>& anchors);

} // namespace ui
