// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/match/subgraph_matcher.h"

#include <deque>

namespace fx {

/// Decides whether two nodes are equal to a matcher, and which of their arguments must match.
class NodeComparison {
public:
    /// Keeps references to both arguments, which must outlive this object.
    NodeComparison(const SubgraphMatcher& matcher, const GraphModule& target);

    /// torch.fx `_nodes_are_equal`.
    bool equal(const Node& pattern, const Node& graph) const;

    /// Two flat lists of arguments, positional then keyword. The pointers live as long as the graphs and this object.
    struct Arguments {
        std::vector<const Argument*> pattern, graph;
        std::vector<std::string> keywords; ///< for the last arguments; earlier ones are positional
        /// Returns the key of an argument in `Relaxations::arguments`: "0", "1", "dim".
        std::string key(std::size_t i) const {
            const std::size_t places = pattern.size() - keywords.size();
            return i < places ? std::to_string(i) : keywords[i - places];
        }
    };
    /// Returns the arguments to compare; nullopt if the calls differ in form. The schema of operator overloads fills in
    /// defaults.
    std::optional<Arguments> arguments(const Node& pattern, const Node& graph);
    /// Returns true if both calls have the same number of positional arguments (without the module of a typed
    /// placeholder) and the same keywords.
    bool haveOneForm(const Node& pattern, const Node& graph) const;
    /// Returns the arguments that both calls have, by position and by keyword, whatever their forms. Different
    /// functions share arguments by position only.
    Arguments commonArguments(const Node& pattern, const Node& graph) const;

    /// The typed placeholder that this pattern node calls as a module, or kNoNode.
    NodeId calledPlaceholder(const Node& pattern) const { return m_callees[index(pattern.id())]; }
    /// Returns the type of the module that a graph node calls, "torch.nn.ReLU"; empty if it calls no module.
    std::string moduleType(const Node& graph) const;
    /// Returns true if the operands of `pattern` may be swapped.
    static bool commutes(const Node& pattern);

private:
    Arguments allArguments(const Node& pattern, const Node& graph) const;
    bool equalAttributes(const Node& pattern, const Node& graph) const;
    bool acceptsTarget(const Node& pattern, const Node& graph) const;
    std::size_t skipped(const Node& pattern) const {
        return calledPlaceholder(pattern) == kNoNode ? 0 : 1;
    } ///< counts the module itself
    std::vector<const Argument*> bySchema(const Node& node);
    const Module* calledModule(const Node& graph) const;
    bool isOfType(const Module& module, const std::string& type) const;
    const Argument& keep(Argument value) { return m_kept.emplace_back(std::move(value)); }

    const SubgraphMatcher& m_matcher;
    const GraphModule& m_target;
    std::vector<NodeId> m_callees; ///< calledPlaceholder, by pattern node
    mutable PathResolver m_paths;
    mutable std::vector<std::optional<const Module*>> m_called; ///< by graph node, filled on first use
    /// Cached result of `isOfType`; a model has few classes.
    struct ClassAndType {
        std::string className, classModule, type;
        bool isSame;
    };
    mutable std::vector<ClassAndType> m_types;
    std::deque<Argument> m_kept;
    /// Defaults of operators, by name; null entries have no default.
    std::map<std::string, std::vector<const Argument*>, std::less<>> m_defaults;
};

/// Returns true if both names denote the same module class, like `torch.nn.Conv2d` and `torch.nn.modules.conv.Conv2d`.
bool sameModuleType(std::string_view a, std::string_view b);

} // namespace fx
