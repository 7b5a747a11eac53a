// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/partition/carried_marks.h"

#include "core/edit/steps/steps.h"

#include <algorithm>

namespace ui {

namespace {

using fx::NodeId;

bool has(const fx::Graph& graph, NodeId node) {
    return fx::index(node) < graph.idLimit() && !graph.node(node).erased();
}

/// What the users of `node` take in its place.
NodeId takenInstead(const fx::Graph& before, const fx::Graph& after, NodeId node, const std::vector<NodeId>& created) {
    for (const NodeId user : before.node(node).users()) {
        if (!has(after, user)) continue;
        const auto was = before.node(user).inputs(), is = after.node(user).inputs();
        for (std::size_t i = 0; i < std::min(was.size(), is.size()); ++i)
            if (was[i] == node && std::binary_search(created.begin(), created.end(), is[i])) return is[i];
    }
    return fx::kNoNode;
}

/// The only new node that calls the same.
NodeId sameCall(const fx::Graph& before, const fx::Graph& after, NodeId node, const std::vector<NodeId>& created) {
    NodeId found = fx::kNoNode;
    for (const NodeId each : created) {
        if (after.node(each).op() != before.node(node).op() || after.node(each).target() != before.node(node).target())
            continue;
        if (found != fx::kNoNode) return fx::kNoNode;
        found = each;
    }
    return found;
}

} // namespace

SupportDraft withCarriedMarks(const SupportDraft& draft, const fx::GraphModule& before, const fx::GraphModule& after) {
    SupportDraft carried = draft;
    const fx::Graph &was = before.graph, &is = after.graph;
    std::vector<NodeId> created = fx::compareVersions(was, is).created;
    std::sort(created.begin(), created.end());
    for (const auto& [name, support] : draft.nodes()) {
        const NodeId node = was.find(name);
        if (node == fx::kNoNode) continue;
        NodeId to = has(is, node) ? node : takenInstead(was, is, node, created);
        if (to == fx::kNoNode) to = sameCall(was, is, node, created);
        if (to == fx::kNoNode || is.node(to).name() == name) continue;
        carried.setNode(name, Support::ByRule);
        carried.setNode(is.node(to).name(), support);
    }
    return carried;
}

} // namespace ui
