// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ir/lint.h"

#include <unordered_set>

namespace fx {
namespace {

void checkInputs(const Graph& graph, const Node& node, std::vector<LintProblem>& problems) {
    for (const NodeId input : node.inputs()) {
        const Node& source = graph.node(input);
        if (source.erased())
            problems.push_back(
                {node.id(), Message("edit.lint_foreign", {{"input", source.name()}, {"node", node.name()}})});
        else if (!graph.isBefore(input, node.id()))
            problems.push_back(
                {node.id(), Message("edit.lint_order", {{"input", source.name()}, {"node", node.name()}})});
    }
}

/// Nodes that may have a problem though none of `clean` has one: a place or a call that is another, or that of an
/// input.
std::vector<NodeId> suspects(const Graph& graph, const Graph& clean) {
    const GraphDifference difference = graph.differenceFrom(clean);
    std::vector<NodeId> ids;
    for (const auto* part : {&difference.nodes, &difference.places})
        for (const NodeId id : *part) {
            if (index(id) >= graph.idLimit()) continue;
            ids.push_back(id);
            for (const NodeId user : graph.node(id).users()) ids.push_back(user);
        }
    return graph.inOrder(std::move(ids));
}

} // namespace

std::vector<LintProblem> lint(const Graph& graph) {
    std::vector<LintProblem> problems;
    std::unordered_set<std::string_view> names;
    const bool checkNames = !graph.namesAreUnique();
    for (const Node& node : graph.nodes()) {
        checkInputs(graph, node, problems);
        if (checkNames && !names.insert(node.name()).second)
            problems.push_back({node.id(), Message("edit.lint_name", {{"node", node.name()}})});
    }
    return problems;
}

std::vector<LintProblem> LintMemory::check(const Graph& graph) {
    std::optional<Graph> clean;
    {
        const std::lock_guard lock(m_mutex);
        clean = m_clean;
    }
    std::vector<LintProblem> problems;
    if (!clean || !graph.namesAreUnique()) problems = lint(graph);
    else
        for (const NodeId id : suspects(graph, *clean)) checkInputs(graph, graph.node(id), problems);
    if (problems.empty()) {
        const std::lock_guard lock(m_mutex);
        m_clean = graph;
    }
    return problems;
}

} // namespace fx
