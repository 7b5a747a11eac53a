// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/match/subgraph_matcher.h"

namespace fx {

/// Names pattern and graph nodes in explanations, and recognises the same operation under different names.
class NodeWords {
public:
    /// Keeps references to both arguments, which must outlive this object.
    NodeWords(const SubgraphMatcher& matcher, const GraphModule& target);

    /// Returns true if both nodes are the same operation: `torch.relu`, `F.relu`, `x.relu()`, `nn.ReLU` and `aten.relu`
    /// are alike.
    bool alike(const Node& pattern, const Node& graph) const {
        const auto& word = m_patternWords[index(pattern.id())];
        return !word.empty() && word == m_graphWords[index(graph.id())];
    }
    /// Describes a node: "torch.relu", "the method relu", "the module act (ReLU)", "the parameter w", "the input x".
    std::string ofPattern(const Node& node) const;
    /// Like `ofPattern`, for a node of the graph.
    std::string ofGraph(const Node& node) const;
    /// Formats a value of the graph as Python text, truncated if long.
    std::string value(const Graph& graph, const Argument& value) const;

private:
    const SubgraphMatcher& m_matcher;
    const GraphModule& m_target;
    std::vector<std::string> m_patternWords, m_graphWords; ///< by node
};

} // namespace fx
