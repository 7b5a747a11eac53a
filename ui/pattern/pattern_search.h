// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/match/subgraph_matcher.h"

#include <QByteArray>
#include <QString>

#include <optional>

namespace ui {

constexpr std::size_t kMostOverlapped = 1000;

/// A query of the Pattern panel.
struct PatternQuery {
    QByteArray pattern;     ///< source of a function or an nn.Module class
    QByteArray replacement; ///< the same; empty for no replacement
    bool ignoreLiterals = false, commutative = false, keepOverlapping = false;
    std::vector<std::string> relaxations; ///< in the syntax of `lancet match --relax`
    bool operator==(const PatternQuery&) const = default;
};

/// A match for display.
struct PatternMatch {
    std::string anchor;            ///< name of the graph node that identifies it
    std::vector<fx::NodeId> nodes; ///< in the order of the pattern
};

/// A match that is dropped because it shares a node with an earlier one.
struct PatternOverlap {
    PatternMatch match;
    std::size_t with = 0; ///< index of the earlier match
    fx::NodeId shared = fx::kNoNode;
};

struct PatternResult {
    std::vector<PatternMatch> matches;
    std::vector<PatternOverlap> overlapped; ///< at most kMostOverlapped
    std::size_t nodes = 0;                  ///< number of graph nodes in matches
    double millis = 0;                      ///< of the search alone
    std::size_t givenUp = 0;                ///< nodes at which the search gave up: matches may be missing
    std::optional<fx::Error> patternError, replacementError;
    int patternLine = -1, replacementLine = -1; ///< of the errors in the sources, from 0; -1: of no line
};

/// Searches a model; errors in the sources are part of the result. Any thread. Throws fx::Error{Cancelled}.
PatternResult searchPattern(const fx::GraphModule& module, const PatternQuery& query, const fx::Progress& progress);

/// A sentence of the engine with user-facing names: "nn.BatchNorm2d" for the class's full path,
/// "operator.add".
QString inWords(const std::string& text);
/// How much of a pattern a near miss has: "2 of 3 nodes fit". All may: then something else is in the way.
QString fitInWords(std::size_t matched, std::size_t of);

/// A near miss for display.
struct PatternNearMiss {
    fx::NodeId anchor = fx::kNoNode;
    std::string name;
    QString why;
    std::size_t matched = 0, of = 0;
    struct Remedy {
        QString text;            ///< "Allow other users of conv1"
        std::string relaxations; ///< for PatternQuery
    };
    std::vector<Remedy> remedies; ///< each alone produces a match
};

/// The near misses of the pattern of `query`; empty if it is invalid. Any thread. Throws
/// fx::Error{Cancelled}.
std::vector<PatternNearMiss> explainPattern(const fx::GraphModule& module, const PatternQuery& query, std::size_t limit,
                                            const fx::Progress& progress);

/// The step that replaces all matches of `query`, or those with these anchors.
QByteArray replaceStep(const PatternQuery& query, const std::vector<std::string>& anchors);

} // namespace ui
