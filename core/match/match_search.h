// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/match/anchor_link.h"
#include "core/match/cycle_check.h"
#include "core/match/node_comparison.h"

namespace fx {

/// One search of a `SubgraphMatcher` in one graph: a depth-first walk from the results of the pattern towards its
/// inputs, with a work list instead of recursion.
class MatchSearch {
public:
    /// Keeps references to all arguments, which must outlive the search.
    MatchSearch(const SubgraphMatcher& matcher, const GraphModule& target, const Progress& progress);
    /// Returns the matches in the order of torch.fx. Throws Error{Cancelled}.
    std::vector<InternalMatch> run();
    /// The number of candidates at which `run` reached `kMaxPaths` without a match; each may hide a match.
    std::size_t givenUp() const { return m_givenUp; }

private:
    /// Values still to be compared; owned by nodes or by NodeComparison.
    struct Pair {
        const Argument* pattern;
        const Argument* graph;
    };
    /// An alternative to try if the current one fails (commutative operands, optional nodes).
    struct Choice {
        std::size_t bound;
        std::vector<Pair> left;
    };
    /// The candidates of one anchor while earlier anchors are bound.
    struct Level {
        std::vector<NodeId> candidates;
        std::size_t next = 0;
        std::size_t bound = 0; ///< number of nodes bound before this level
    };

    bool matchFrom(NodeId patternNode, NodeId graphNode);
    bool matchPair(Pair pair);
    bool matchNodes(const Node& patternNode, const Node& graphNode, Pair pair);
    bool matchLiteral(const Argument& pattern, const Argument& graph);
    bool compareArguments(const Node& patternNode, const Node& graphNode);
    void bind(NodeId patternNode, Binding binding);
    bool bindModule(const Node& patternNode, const Node& graphNode);
    void unbind(std::size_t bound);

    std::vector<NodeId> candidatesOf(std::size_t anchor) const;
    std::vector<NodeId> linkedCandidates(const AnchorLink& link) const;
    NodeId standIn(NodeId patternNode) const;
    NodeId boundFor(NodeId returned) const;
    bool canBe(NodeId anchor, const Node& graphNode) const;
    bool counts(NodeId patternNode) const; ///< neither a placeholder nor the output
    void accept();
    bool isContained();
    bool isAcyclic();
    std::size_t levelToKeep() const;

    const SubgraphMatcher& m_matcher;
    const Graph &m_pattern, &m_graph;
    NodeComparison m_compare;
    const Progress& m_progress;

    std::vector<Binding> m_bindings; ///< by pattern node
    std::vector<bool> m_isBound;     ///< by pattern node
    std::vector<NodeId> m_order;     ///< pattern nodes in the order in which they were bound
    std::vector<bool> m_used;        ///< by graph node: currently bound
    std::vector<bool> m_taken;       ///< by graph node: part of an accepted match
    std::vector<Pair> m_left;
    std::vector<Choice> m_choices;
    std::vector<Level> m_levels;
    std::vector<std::vector<NodeId>> m_candidates; ///< by anchor
    std::vector<std::vector<AnchorLink>> m_links;  ///< by anchor
    CycleCheck m_cycles;
    std::vector<NodeId> m_inside;   ///< nodes of the current match
    std::vector<bool> m_isReturned; ///< by pattern node, of the current match
    std::vector<InternalMatch> m_matches;
    std::size_t m_givenUp = 0;
};

} // namespace fx
