// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/diff/written_check.h"

#include "core/ir/print.h"

namespace fx {
namespace {

/// What a node has of an aspect; empty for others.
std::string textOf(const Graph& graph, const Node& node, Aspect aspect) {
    switch (aspect) {
    case Aspect::Name: return node.name();
    case Aspect::Target: return node.target();
    case Aspect::Args: return argsRepr(graph, node);
    case Aspect::KeywordArgs: return kwargsRepr(graph, node);
    default: return {};
    }
}

Error refusal(const std::string& difference) {
    return Error(ErrorKind::Refused, Message("io.reads_differently", {{"difference", difference}}));
}

Error refusal(const ModelDiff& diff, const Graph& a, const Graph& b) {
    if (!diff.changed.empty()) {
        const NodeChange& change = diff.changed.front();
        const Node &is = a.node(change.a), &became = b.node(change.b);
        const Aspect aspect = change.what.front();
        const std::string before = textOf(a, is, aspect), after = textOf(b, became, aspect);
        const std::string name(aspectName(aspect));
        return refusal(before == after ? "other " + name : name + ": " + before + " became " + after).onNode(is.name());
    }
    if (!diff.removed.empty()) return refusal("the node is missing").onNode(a.node(diff.removed.front()).name());
    if (!diff.added.empty()) return refusal("the node is new").onNode(b.node(diff.added.front()).name());
    if (!diff.tree.empty())
        return refusal("other " + std::string(aspectName(diff.tree.front().what.front())))
            .onModule(diff.tree.front().a);
    const TreeOrphan& orphan = diff.orphans.front();
    return refusal("the " + std::string(orphan.kind) + (orphan.inA ? " is missing" : " is new")).onModule(orphan.path);
}

} // namespace

void requireSame(const GraphModule& expected, const GraphModule& back, const std::string& path,
                 const Progress& progress, DiffScope scope) {
    const ModelDiff diff = diffModels(expected, back, {true, scope}, progress);
    if (!diff.equal()) throw refusal(diff, expected.graph, back.graph).in(path);
}

} // namespace fx
