// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/match/subgraph_matcher.h"

#include <deque>

namespace fx {

/// When two nodes, taken alone, are equal for a matcher, and which of their arguments then have to match.
class NodeComparison {
public:
    NodeComparison(const SubgraphMatcher& matcher, const GraphModule& target)
        : m_matcher(matcher), m_target(target), m_paths(*target.root) {}

    /// torch.fx `_nodes_are_equal`.
    bool equal(const Node& pattern, const Node& graph) const;

    /// Two flat lists of arguments, positional then keyword; nullopt when the calls differ in form. For operator
    /// overloads the schema fills in defaults. The pointers live as long as the graphs and this object.
    struct Arguments {
        std::vector<const Argument*> pattern, graph;
        std::vector<std::string> keywords; ///< of the last ones; those before go by place
        /// What Relaxations::arguments calls the argument: "0", "1", "dim".
        std::string key(std::size_t i) const {
            const std::size_t places = pattern.size() - keywords.size();
            return i < places ? std::to_string(i) : keywords[i - places];
        }
    };
    std::optional<Arguments> arguments(const Node& pattern, const Node& graph);
    /// What both calls have, by place and by keyword, whatever their forms; of different functions by place only.
    Arguments commonArguments(const Node& pattern, const Node& graph) const;

    /// The typed placeholder that this pattern node calls as a module, kNoNode for others.
    NodeId calledPlaceholder(const Node& pattern) const;
    /// "torch.nn.ReLU": the type of the module that a graph node calls; empty when it calls none.
    std::string moduleType(const Node& graph) const;
    /// The operands can change places.
    static bool commutes(const Node& pattern);

private:
    Arguments allArguments(const Node& pattern, const Node& graph) const;
    bool equalAttributes(const Node& pattern, const Node& graph) const;
    bool acceptsTarget(const Node& pattern, const Node& graph) const;
    std::size_t skipped(const Node& pattern) const {
        return calledPlaceholder(pattern) == kNoNode ? 0 : 1;
    } ///< the module itself
    std::vector<const Argument*> bySchema(const Node& node);
    const Argument& keep(Argument value) { return m_kept.emplace_back(std::move(value)); }

    const SubgraphMatcher& m_matcher;
    const GraphModule& m_target;
    mutable PathResolver m_paths;
    std::deque<Argument> m_kept;
    std::map<std::string, std::vector<const Argument*>, std::less<>> m_defaults; ///< of operators, by name; null: none
};

/// True if both name one module class: `torch.nn.Conv2d` and `torch.nn.modules.conv.Conv2d` do.
bool sameModuleType(std::string_view a, std::string_view b);

} // namespace fx
