// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/match/subgraph_matcher.h"

namespace fx {

/// Names of pattern and graph nodes in explanations, and equality of operations under different names.
class NodeWords {
public:
    NodeWords(const SubgraphMatcher& matcher, const GraphModule& target);

    /// `torch.relu`, `F.relu`, `x.relu()`, `nn.ReLU` and `aten.relu` are alike.
    bool alike(const Node& pattern, const Node& graph) const {
        const auto& word = m_patternWords[index(pattern.id())];
        return !word.empty() && word == m_graphWords[index(graph.id())];
    }
    /// "torch.relu", "the method relu", "the module act (ReLU)", "the parameter w", "the input x".
    std::string ofPattern(const Node& node) const;
    std::string ofGraph(const Node& node) const;
    /// A value of the graph as Python text, truncated if long.
    std::string value(const Graph& graph, const Argument& value) const;

private:
    const SubgraphMatcher& m_matcher;
    const GraphModule& m_target;
    std::vector<std::string> m_patternWords, m_graphWords; ///< by node
};

} // namespace fx
