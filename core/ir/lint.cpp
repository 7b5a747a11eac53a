// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ir/lint.h"

#include <unordered_set>

namespace fx {

std::vector<LintProblem> lint(const Graph& graph) {
    std::vector<LintProblem> problems;
    std::unordered_set<std::string_view> names;
    const bool checkNames = !graph.namesAreUnique();
    for (const Node& node : graph.nodes()) {
        for (const NodeId input : node.inputs()) {
            const Node& source = graph.node(input);
            if (source.erased())
                problems.push_back(
                    {node.id(), Message("edit.lint_foreign", {{"input", source.name()}, {"node", node.name()}})});
            else if (!graph.isBefore(input, node.id()))
                problems.push_back(
                    {node.id(), Message("edit.lint_order", {{"input", source.name()}, {"node", node.name()}})});
        }
        if (checkNames && !names.insert(node.name()).second)
            problems.push_back({node.id(), Message("edit.lint_name", {{"node", node.name()}})});
    }
    return problems;
}

} // namespace fx
