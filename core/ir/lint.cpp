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
                problems.push_back({node.id(), "Argument '" + source.name() + "' of Node '" + node.name() +
                                                   "' does not belong to this Graph, but was used as an argument!"});
            else if (!graph.isBefore(input, node.id()))
                problems.push_back({node.id(), "Argument '" + source.name() + "' of Node '" + node.name() +
                                                   "' was used before it has been defined! Please check that Nodes in "
                                                   "the graph are topologically ordered"});
        }
        if (checkNames && !names.insert(node.name()).second)
            problems.push_back({node.id(), "Node redefined name " + node.name() + "!"});
    }
    return problems;
}

} // namespace fx
