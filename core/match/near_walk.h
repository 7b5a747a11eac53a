// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/match/anchor_link.h"
#include "core/match/near_miss.h"
#include "core/match/node_comparison.h"
#include "core/match/node_words.h"

#include <deque>

namespace fx {

/// Compares a pattern with one location in a graph like MatchSearch, but continues after differences and records them.
///
///     pattern           graph                  where nodes differ, the walk guesses the intention:
///     relu              relu6     another target: their arguments are compared
///     dropout(relu)     relu      a node of the pattern is missing: its first argument is compared
///     relu(linear)      relu(dropout(linear))  the graph has one more: its input is compared
class NearWalk {
public:
    /// Keeps references to both arguments, which must outlive the walk.
    NearWalk(const SubgraphMatcher& matcher, const GraphModule& target);

    /// Compares the pattern with the graph from `anchor`, the node for the pattern's first result. Returns false if it
    /// stopped early because fewer than `atLeast` nodes can be equal. `inWords` also fills in the texts of the
    /// mismatches.
    bool walk(NodeId anchor, std::size_t atLeast, bool inWords);

    // Results of the last walk.
    std::size_t of() const { return m_of; }                           ///< pattern nodes without inputs and output
    std::size_t matched() const { return m_equal.size(); }            ///< number of equal nodes
    const std::vector<NodeId>& equalNodes() const { return m_equal; } ///< graph nodes
    int cost() const { return m_cost; }                               ///< the distance; 0 if nothing differs
    bool isAlike() const { return m_isAlike; } ///< true if a node differs only in the name of its operation
    /// In the order of the walk.
    const std::vector<Mismatch>& mismatches() const { return m_mismatches; }
    std::vector<Mismatch>& mismatches() { return m_mismatches; }
    const std::vector<NodeId>& order() const { return m_order; } ///< pattern nodes in the order of binding
    /// Returns what `patternNode` was compared with; null if the walk did not reach it.
    const Binding* binding(NodeId patternNode) const {
        return m_isBound[index(patternNode)] ? &m_bindings[index(patternNode)] : nullptr;
    }
    /// Returns false for placeholders and the output.
    bool counts(NodeId patternNode) const;
    /// The returned pattern node, or its substitute if it is missing.
    NodeId boundFor(NodeId returned) const;
    /// Names nodes for the texts of mismatches.
    const NodeWords& words() const { return m_words; }

private:
    /// The weight of a difference.
    enum Cost : int { kSlight = 1, kSameForm = 2, kShifted = 3, kUnlike = 4 };
    struct Pair {
        const Argument* pattern;
        const Argument* graph;
        NodeId owner = kNoNode; ///< pattern node whose argument this is
        NodeId place = kNoNode; ///< graph node compared with it
        std::string key;        ///< of the argument
    };
    struct State {
        std::size_t bound, skipped, equal, mismatches, failed;
        int cost;
        bool isAlike;
    };

    State state() const {
        return {m_order.size(), m_skipped.size(), m_equal.size(), m_mismatches.size(), m_failed, m_cost, m_isAlike};
    }
    void restore(const State& state);
    bool compareFrom(NodeId patternNode, NodeId graphNode);
    bool compareFurtherAnchor(std::size_t anchor);
    std::vector<NodeId> candidatesOf(std::size_t anchor) const;
    std::vector<NodeId> usersAlong(const AnchorLink& link, bool onlyEqual) const;
    void compare(const Pair& pair);
    void compareValues(const Pair& pair);
    void compareNodes(const Pair& pair, const Node& patternNode, const Node& graphNode);
    void compareDifferent(const Pair& pair, const Node& patternNode, const Node& graphNode);
    void pushArguments(const Node& patternNode, const Node& graphNode, bool sameTarget);
    bool swapsBetter(const Node& patternNode, const NodeComparison::Arguments& arguments) const;
    int likeness(const Argument& pattern, const Argument& graph) const;
    void bind(NodeId patternNode, Binding binding);
    void bindModule(const Node& patternNode, const Node& graphNode);
    const std::set<std::string>* freeArguments(const Node& patternNode) const;
    /// Records a mismatch; `fill` adds text and remedies if requested.
    template<class Fill> void note(MatchRule rule, NodeId patternNode, NodeId graphNode, int cost, Fill fill);
    void noteDifferent(const Node& patternNode, const Node& graphNode, int cost, bool isMissing, bool isExtra);
    static NodeId firstArgument(const Node& node) {
        return !node.args().empty() && node.args()[0].isNode() ? node.args()[0].node() : kNoNode;
    }
    void noteTwice(const Pair& pair, const Node& patternNode, const std::string& now);
    void noteUsed(const Pair& pair, const Node& patternNode, const Node& graphNode);

    const SubgraphMatcher& m_matcher;
    const Graph &m_pattern, &m_graph;
    NodeComparison m_compare;
    NodeWords m_words;
    std::size_t m_of = 0;
    std::vector<std::vector<AnchorLink>> m_links;  ///< by anchor
    std::vector<std::vector<NodeId>> m_candidates; ///< by anchor except the first: some equal nodes
    std::vector<Binding> m_bindings;               ///< by pattern node
    std::vector<bool> m_isBound, m_isSkipped;      ///< by pattern node
    std::vector<bool> m_used;                      ///< by graph node
    std::vector<NodeId> m_order, m_skipped, m_equal;
    std::vector<Mismatch> m_mismatches;
    std::vector<Pair> m_left;
    std::deque<Argument> m_kept; ///< arguments that pairs point to but no node owns
    std::size_t m_failed = 0, m_atLeast = 0;
    int m_cost = 0;
    bool m_isAlike = false, m_inWords = false;
};

template<class Fill> void NearWalk::note(MatchRule rule, NodeId patternNode, NodeId graphNode, int cost, Fill fill) {
    m_cost += cost;
    if (!m_inWords) return;
    Mismatch& mismatch = m_mismatches.emplace_back(Mismatch{rule, patternNode, graphNode, {}, {}});
    fill(mismatch);
}

} // namespace fx
