// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/edit/version_marks.h"

#include "core/diff/diff.h"
#include "core/edit/version_diff.h"

#include <algorithm>

namespace fx {
namespace {

bool isIn(const Graph& graph, NodeId id) { return index(id) < graph.idLimit() && !graph.node(id).erased(); }

/// Whether a version is a graph of its own, as what a quantisation makes: most names that both have are at other ids.
bool isRenumbered(const Graph& from, const Graph& to) {
    std::size_t moved = 0, stayed = 0;
    for (const Node& node : to.nodes()) {
        if (node.op() == Op::Placeholder || node.op() == Op::Output) continue;
        if (isIn(from, node.id()) && from.node(node.id()).name() == node.name()) ++stayed;
        else if (from.find(node.name()) != kNoNode) ++moved;
    }
    return moved > stayed;
}

/// Users, order and shapes follow from other nodes.
bool isOwn(Aspect aspect) {
    return aspect != Aspect::Users && aspect != Aspect::Order && aspect != Aspect::Shape && aspect != Aspect::Dtype;
}

} // namespace

VersionMarks versionMarks(const GraphModule& from, const GraphModule& to, const Progress& progress) {
    if (!isRenumbered(from.graph, to.graph)) {
        VersionDiff diff(from, to, progress);
        std::vector<NodeId> edited = diff.withOtherModules();
        edited.insert(edited.end(), diff.effect().changed.begin(), diff.effect().changed.end());
        return {diff.effect().created, to.graph.inOrder(std::move(edited))};
    }
    ModelDiff diff = diffModels(from, to, {true, DiffScope::Models, true}, progress);
    std::vector<NodeId> edited;
    for (const NodeChange& change : diff.changed)
        if (std::any_of(change.what.begin(), change.what.end(), isOwn)) edited.push_back(change.b);
    return {std::move(diff.added), to.graph.inOrder(std::move(edited))};
}

void blameEdits(std::vector<ShapeFailure>& failures, const GraphModule& from, const GraphModule& to,
                const Progress& progress) {
    if (failures.empty()) return;
    const VersionMarks marks = versionMarks(from, to, progress);
    std::vector<bool> changed(to.graph.idLimit());
    for (const auto* part : {&marks.created, &marks.edited})
        for (const NodeId id : *part) changed[index(id)] = true;
    std::vector<NodeId> last(to.graph.idLimit(), kNoNode); // the last changed node that leads to each one, or is it
    for (const Node& node : to.graph.nodes()) {
        NodeId& cause = last[index(node.id())];
        if (changed[index(node.id())]) {
            cause = node.id();
            continue;
        }
        for (const NodeId input : node.inputs())
            if (const NodeId other = last[index(input)];
                other != kNoNode && (cause == kNoNode || to.graph.isBefore(cause, other)))
                cause = other;
    }
    for (ShapeFailure& failure : failures) {
        const NodeId node = to.graph.find(failure.node);
        failure.causeIsEdit = node != kNoNode && last[index(node)] != kNoNode;
        if (failure.causeIsEdit) failure.cause = to.graph.node(last[index(node)]).name();
    }
}

} // namespace fx
