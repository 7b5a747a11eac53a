// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/textpasses/pass_mistakes.h"

#include <unordered_set>
#include <vector>

namespace fx::python {

namespace {
/// Whether the value of `node` is computed from that of `from`.
bool dependsOn(const Graph& graph, NodeId node, NodeId from) {
    std::vector<NodeId> open{node};
    std::unordered_set<NodeId> met{node};
    while (!open.empty()) {
        const NodeId at = open.back();
        open.pop_back();
        if (at == from) return true;
        for (const NodeId input : graph.node(at).inputs())
            if (met.insert(input).second) open.push_back(input);
    }
    return false;
}
} // namespace

std::optional<PassMistakes::Explanation> PassMistakes::explain(const Graph& graph, const LintProblem& problem) const {
    const Node& node = graph.node(problem.node);
    const Change* const ofNode = find(problem.node);
    const bool isErased = problem.message.is("edit.lint_foreign");
    if (!isErased && !problem.message.is("edit.lint_order")) return std::nullopt;
    const std::string wanted = problem.message.argument("input");
    for (const NodeId input : node.inputs()) {
        if (graph.node(input).name() != wanted) continue;
        const Change* const ofInput = find(input);
        if (isErased && ofInput)
            return Explanation{Message("passes.uses_erased", {{"node", node.name()}, {"input", wanted}}),
                               ofNode ? ofNode->place : ofInput->place};
        if (isErased) return std::nullopt;
        if (ofNode && ofNode->kind == Change::Kind::Redirected && ofNode->with == input &&
            dependsOn(graph, input, problem.node))
            return Explanation{Message("passes.redirected_itself", {{"node", node.name()}}), ofNode->place};
        if (ofInput && ofInput->kind != Change::Kind::Erased)
            return Explanation{Message("passes.inserted_late", {{"node", node.name()}, {"input", wanted}}),
                               ofInput->place};
        if (ofNode && ofNode->kind == Change::Kind::Created)
            return Explanation{Message("passes.inserted_early", {{"node", node.name()}, {"input", wanted}}),
                               ofNode->place};
        if (ofNode) return Explanation{Message(), ofNode->place};
    }
    return std::nullopt;
}

std::optional<Message> remedyOfPassError(std::string_view text) {
    if (text.find("Tried to erase Node") != text.npos) return Message("passes.erased_used");
    return std::nullopt;
}

} // namespace fx::python
