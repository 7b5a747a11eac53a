// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"
#include "core/module/graph_module.h"

#include <map>
#include <set>

namespace fx {

/// Relaxations for single nodes of a pattern; none by default. torch.fx has no equivalent.
struct Relaxations {
    /// Further targets that a pattern node accepts ("torch.nn.functional.relu6", a method, a module path, a module
    /// type, or "*" for any call). A different function is compared only in the arguments that both calls have by
    /// position.
    std::map<NodeId, std::set<std::string>> targets;
    /// Arguments of a pattern node that are ignored: "0", "1" by position, others by keyword; "*" stands for those that
    /// only one side has.
    std::map<NodeId, std::set<std::string>> arguments;
    std::set<NodeId> outsideUsers; ///< pattern nodes that may be used outside the match
    std::set<NodeId> optional;     ///< pattern nodes that may be missing; their first argument replaces them
    bool commutative = false;      ///< a + b also matches b + a, for commutative operators
};

/// Settings and defaults of torch.fx's `SubgraphMatcher`, plus extensions of Lancet, which are off by default.
struct MatcherOptions {
    /// torch.fx `match_output`: the pattern's results must be outputs of the graph.
    bool matchOutput = false;
    /// torch.fx `match_placeholder`: inputs of the pattern match only placeholders.
    bool matchPlaceholder = false;
    /// torch.fx `remove_overlapping_matches`.
    bool removeOverlapping = true;
    /// torch.fx `ignore_literals`.
    bool ignoreLiterals = false;
    std::string nodeNameMatch; ///< a graph node whose name contains this matches whatever it calls, unless empty
    Relaxations relaxations;
    std::size_t limit = 0; ///< maximum number of matches; 0 for all
};

/// The counterpart of a pattern node: a graph node. A placeholder also binds a literal argument (which may contain
/// nodes), or the module that a typed placeholder stands for.
struct Binding {
    Argument value;
    std::string modulePath; ///< set for a module
    bool operator==(const Binding&) const = default;
};

/// One match, like torch.fx `InternalMatch`.
struct InternalMatch {
    std::vector<NodeId> anchors;                      ///< pattern nodes
    std::vector<std::pair<NodeId, Binding>> nodesMap; ///< pattern nodes with their counterparts, in search order
    std::vector<Binding> placeholderNodes;            ///< in the order of the pattern's inputs
    std::vector<Binding> returningNodes;              ///< in the order of the pattern's output

    /// Returns the counterpart of `patternNode`; null for a missing optional node.
    const Binding* find(NodeId patternNode) const;
};

/// Limits the paths tried for one candidate; relaxations can create exponentially many.
constexpr int kMaxPaths = 4096;
/// Returns the warning that the search gave up at `candidates` locations.
Warning gaveUp(std::size_t candidates);

/// Finds subgraphs equal to a pattern: torch.fx 2.13 `SubgraphMatcher`, with the same matches in the same order.
///
/// One extension of torch.fx: a placeholder of the pattern that is annotated with a module type and called
/// (`def pattern(x, c: nn.Conv2d): return c(x)`) matches any call_module of that type.
class SubgraphMatcher {
public:
    /// Throws Error{Refused} for patterns that torch.fx cannot use: empty, with dead code, with an unused input, or
    /// without an output. The pattern must outlive the matcher.
    explicit SubgraphMatcher(const GraphModule& pattern, MatcherOptions options = {});

    /// Returns all matches in `target`. Patterns with one result take O(nodes × pattern size), even if matches overlap.
    /// Further results are searched along inputs that they share with earlier ones. Where relaxations leave a choice
    /// (commutative, optional), tries at most `kMaxPaths` paths per candidate. `givenUp` receives the number of
    /// candidates with more, where a match may have been missed. Throws Error{Cancelled}.
    std::vector<InternalMatch> match(const GraphModule& target, const Progress& progress = {},
                                     std::size_t* givenUp = nullptr) const;

    const GraphModule& pattern() const { return m_pattern; }
    const MatcherOptions& options() const { return m_options; }
    /// Returns the pattern nodes from which the search starts.
    const std::vector<NodeId>& anchors() const { return m_anchors; }
    /// Returns the inputs of the pattern, in order.
    const std::vector<NodeId>& placeholders() const { return m_placeholders; }
    /// Returns the values that the pattern returns, in order.
    const std::vector<NodeId>& returning() const { return m_returning; }
    /// Returns the module type ("torch.nn.Conv2d") of a placeholder that stands for a module, or null.
    const std::string* moduleType(NodeId placeholder) const;

private:
    const GraphModule& m_pattern;
    MatcherOptions m_options;
    std::vector<NodeId> m_anchors, m_placeholders, m_returning;
    std::map<NodeId, std::string> m_moduleTypes;
};

} // namespace fx
