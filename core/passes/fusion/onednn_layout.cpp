// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/passes/fusion/onednn_layout.h"

#include "core/base/one_of.h"
#include "core/module/call_semantics.h"
#include "core/onednn/fused_layer.h"
#include "core/onednn/memory_writes.h"
#include "core/passes/sort_users.h"

#include <algorithm>

namespace fx {
namespace {

bool dependsOnLayout(const Node& node) {
    return (node.op() == Op::CallFunction || node.op() == Op::CallMethod) &&
           isOneOf(canonicalName(node), {"view", "view_as", "as_strided", "stride", "is_contiguous", "storage_offset"});
}

/// The result is contiguous whatever the inputs are.
bool makesContiguous(const Node& node, const Module* module) {
    if (module) return module->className == "Linear" || module->className == "LayerNorm";
    return isOneOf(canonicalName(node),
                   {"contiguous", "linear", "matmul", "layer_norm", "scaled_dot_product_attention"});
}

bool givesChannelsLast(const Module& module) {
    if (!onednn::kernelOf(module)) return false;
    const auto layer = onednn::asFusedLayer(*module.graphModule);
    return layer && layer->layer.kind != onednn::Layer::Kind::Linear;
}

} // namespace

bool keepLayouts(const PassRun& run) {
    Graph& graph = run.graph();
    PathResolver paths(*run.model.root);
    std::vector<bool> maybe(graph.idLimit()); // channels_last, or a view of such
    bool changed = false;
    for (const NodeId id : graph.order()) {
        const Node& node = graph.node(id);
        const Module* module = node.op() == Op::CallModule ? paths.resolve(node.target()).module : nullptr;
        const auto comes = std::find_if(node.inputs().begin(), node.inputs().end(), [&](NodeId input) {
            return index(input) < maybe.size() && maybe[index(input)];
        });
        const auto kernel = module ? onednn::kernelOf(*module) : std::nullopt;
        if (kernel && kernel != onednn::Kernel::OnePass) maybe[index(id)] = givesChannelsLast(*module);
        else maybe[index(id)] = comes != node.inputs().end() && !makesContiguous(node, module);
        if (!maybe[index(id)] || !dependsOnLayout(node) || !node.args()[0].isNode()) continue;
        const NodeId input = node.args()[0].node();
        changed |= run.rewrite(id, [&] {
            graph.setInsertPoint({InsertPoint::Side::Before, id});
            const NodeId copy = graph.createNode(Op::CallMethod, "contiguous", {input});
            graph.setInsertPoint({});
            graph.setMeta(copy, std::make_shared<const NodeMeta>(graph.node(input).meta()));
            std::vector<Argument> args = graph.node(id).args();
            args[0] = copy;
            graph.setArgs(id, std::move(args));
            for (const NodeId each : graph.node(id).inputs()) sortUsers(graph, each);
            sortUsers(graph, input);
        });
        maybe[index(id)] = false;
    }
    return changed;
}

bool writesThroughViews(const GraphModule& model) {
    const CallSemantics semantics(*model.root);
    const onednn::MemoryWrites writes(model.graph, semantics);
    for (const Node& node : model.graph.nodes())
        if (dependsOnLayout(node) && writes.after(node.id(), node.id())) return true;
    return false;
}

} // namespace fx
