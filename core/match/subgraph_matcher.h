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
    /// type, or "*": any call). For another function, only arguments that both have by position are compared.
    std::map<NodeId, std::set<std::string>> targets;
    /// Arguments of a pattern node that are ignored: "0", "1" by position, others by keyword; "*": those on one side
    /// only.
    std::map<NodeId, std::set<std::string>> arguments;
    std::set<NodeId> outsideUsers; ///< pattern nodes that may be used outside the match
    std::set<NodeId> optional;     ///< pattern nodes that may be missing; their first argument replaces them
    bool commutative = false;      ///< a + b also matches b + a, for commutative operators
};

/// The settings and defaults of torch.fx's `SubgraphMatcher`, plus our own, which are off by default.
struct MatcherOptions {
    bool matchOutput = false;
    bool matchPlaceholder = false;
    bool removeOverlapping = true;
    bool ignoreLiterals = false;
    std::string nodeNameMatch; ///< if not empty, a graph node whose name contains this matches whatever it calls
    Relaxations relaxations;
    std::size_t limit = 0; ///< maximum number of matches; 0 for all
};

/// What a pattern node matched: a graph node; for a placeholder also a literal argument (which may contain nodes), or
/// the module that a typed placeholder stands for.
struct Binding {
    Argument value;
    std::string modulePath; ///< set for a module
    bool operator==(const Binding&) const = default;
};

/// One match: torch.fx `InternalMatch`.
struct InternalMatch {
    std::vector<NodeId> anchors;                      ///< pattern nodes
    std::vector<std::pair<NodeId, Binding>> nodesMap; ///< pattern node to what it matched, in search order
    std::vector<Binding> placeholderNodes;            ///< in the order of the pattern's inputs
    std::vector<Binding> returningNodes;              ///< in the order of the pattern's output

    /// What `patternNode` matched; null if it matched nothing (a missing optional node).
    const Binding* find(NodeId patternNode) const;
};

/// Finds subgraphs equal to a pattern: torch.fx 2.13 `SubgraphMatcher`, with the same matches in the same order.
///
/// One extension of torch.fx: a placeholder of the pattern that is annotated with a module type and called
/// (`def pattern(x, c: nn.Conv2d): return c(x)`) matches any call_module of that type.
class SubgraphMatcher {
public:
    /// Throws Error{Refused} for patterns that torch.fx cannot use: empty, with dead code, with an unused input, or
    /// without an output. The pattern must outlive the matcher.
    explicit SubgraphMatcher(const GraphModule& pattern, MatcherOptions options = {});

    /// All matches in `target`. Takes nodes times size of the pattern for patterns with one result, even if matches
    /// overlap; several results are searched along their common inputs. If relaxations leave a choice (commutative,
    /// optional), up to 4,096 combinations are tried per candidate. Throws Error{Cancelled}.
    std::vector<InternalMatch> match(const GraphModule& target, const Progress& progress = {}) const;

    const GraphModule& pattern() const { return m_pattern; }
    const MatcherOptions& options() const { return m_options; }
    const std::vector<NodeId>& anchors() const { return m_anchors; }
    const std::vector<NodeId>& placeholders() const { return m_placeholders; }
    const std::vector<NodeId>& returning() const { return m_returning; }
    /// The module type ("torch.nn.Conv2d") of a placeholder that stands for a module, or null.
    const std::string* moduleType(NodeId placeholder) const;

private:
    const GraphModule& m_pattern;
    MatcherOptions m_options;
    std::vector<NodeId> m_anchors, m_placeholders, m_returning;
    std::map<NodeId, std::string> m_moduleTypes;
};

} // namespace fx
