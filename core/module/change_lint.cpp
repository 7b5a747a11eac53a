// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/module/change_lint.h"

#include "core/module/subgraphs.h"

#include <optional>
#include <set>

namespace fx {
namespace {

/// Returns how to move a node after the values that it uses; empty if all its inputs are before it.
std::string remedyFor(const Graph& graph, NodeId id) {
    for (const NodeId input : graph.node(id).inputs()) {
        if (input != id && graph.isBefore(input, id)) continue;
        std::vector<NodeId> open{input};
        std::set<NodeId> needed{input};
        while (!open.empty()) {
            const NodeId each = open.back();
            open.pop_back();
            for (const NodeId before : graph.node(each).inputs())
                if (needed.insert(before).second) open.push_back(before);
        }
        const std::string name = graph.node(id).name(), late = graph.node(input).name();
        if (needed.contains(id))
            return "this makes a cycle: " + late + " is computed from " + name + "; take a value that is not";
        return "move " + late + " before " + name + " (the step move)";
    }
    return {};
}

/// Returns the missing path to which a node refers; empty if it exists.
std::string missingAt(const GraphModule& model, PathResolver& paths, const Node& node) {
    if (node.op() != Op::CallModule && node.op() != Op::GetAttr) return {};
    if (node.op() == Op::GetAttr && hasSubgraph(model, node.target())) return {};
    const PathTarget target = paths.resolve(node.target());
    if (target.kind == PathTarget::Kind::Missing) return target.missingAt;
    const bool isModule = target.kind == PathTarget::Kind::Module;
    return node.op() == Op::CallModule && !isModule ? node.target() : std::string();
}

void requirePaths(const GraphModule& before, const GraphModule& after) {
    const bool sameTargets = before.root == after.root && before.subgraphs == after.subgraphs;
    PathResolver paths(*after.root);
    std::optional<std::set<std::string>> known; // targets that did not exist before
    for (const NodeId id :
         sameTargets ? after.graph.inOrder(after.graph.differenceFrom(before.graph).nodes) : after.graph.order()) {
        const Node& node = after.graph.node(id);
        const std::string missing = missingAt(after, paths, node);
        if (missing.empty()) continue;
        if (!known) {
            known.emplace();
            PathResolver pathsBefore(*before.root);
            for (const Node& each : before.graph.nodes())
                if (!missingAt(before, pathsBefore, each).empty()) known->insert(each.target());
        }
        if (!known->contains(node.target()))
            throw Error(ErrorKind::Refused,
                        Message("steps.missing_attribute",
                                {{"node", node.name()}, {"target", node.target()}, {"missing", missing}}))
                .onNode(node.name());
    }
}

void lintGraph(const GraphModule& before, const GraphModule& after, bool mayMissPaths) {
    if (const auto problems = after.linted->check(after.graph); !problems.empty())
        throw Error(ErrorKind::Refused, problems.front().message)
            .onNode(after.graph.node(problems.front().node).name())
            .hinting(remedyFor(after.graph, problems.front().node));
    if (!mayMissPaths) requirePaths(before, after);
}

} // namespace

void lintChange(const GraphModule& before, const GraphModule& after, bool mayMissPaths) {
    struct Versions {
        const GraphModule *before, *after;
        std::string name; ///< of a nested graph
    };
    static const GraphModule kNone;
    std::vector<Versions> open{{&before, &after, {}}};
    while (!open.empty()) {
        const Versions both = std::move(open.back());
        open.pop_back();
        try {
            lintGraph(*both.before, *both.after, mayMissPaths);
        } catch (Error& error) {
            if (!both.name.empty()) error.onModule(both.name);
            throw;
        }
        for (const auto& [name, graph] : both.after->subgraphs) {
            const GraphModule* was = subgraphNamed(*both.before, name);
            if (was != graph.get()) open.push_back({was ? was : &kNone, graph.get(), name});
        }
    }
}

} // namespace fx
