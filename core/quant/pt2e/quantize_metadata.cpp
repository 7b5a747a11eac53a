// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/quant/pt2e/quantize_metadata.h"

#include "core/quant/pt2e/decomposed_calls.h"

namespace fx::quant::pt2e {
namespace {

void setTrace(Graph& graph, NodeId to, const Node& from) {
    NodeMeta meta = graph.node(to).meta();
    meta.stackTrace = from.meta().stackTrace;
    graph.setMeta(to, std::make_shared<const NodeMeta>(std::move(meta)));
}

/// The quantize, dequantize and choose_qparams calls between a node and one of its inputs.
void portInput(Graph& graph, NodeId input, NodeId user) {
    for (const Argument& value : graph.node(user).args()) {
        if (!value.isNode() || !isDequantizeCall(graph.node(value.node()))) continue;
        const NodeId dequantize = value.node();
        const NodeId quantize = graph.node(dequantize).args()[0].node();
        if (!isQuantizeCall(graph.node(quantize)) || !(graph.node(quantize).args()[0] == Argument(input))) continue;
        setTrace(graph, dequantize, graph.node(user));
        const Argument scale = graph.node(quantize).args()[1];
        if (!scale.isNode() || graph.node(scale.node()).target() != "_operator.getitem") return;
        setTrace(graph, quantize, graph.node(user));
        setTrace(graph, graph.node(scale.node()).args()[0].node(), graph.node(user));
        return;
    }
}

/// What a new call gives: the values of its input in another type.
void setValues(Graph& graph, const Node& node) {
    const NodeId input = node.args()[0].isNode() ? node.args()[0].node() : kNoNode;
    if (input == kNoNode || !node.meta().values.empty() || graph.node(input).meta().values.size() != 1) return;
    NodeMeta meta = node.meta();
    meta.values = graph.node(input).meta().values;
    ValueInfo& value = meta.values[0];
    value.requiresGrad = false;
    const auto* dtype = node.args().back().as<TorchConstant>();
    if (isQuantizeCall(node) || callsDecomposed(node, "convert_element_type.no_fuse")) {
        if (dtype) value.dtype = dtype->name;
    } else {
        value.dtype = "torch.float32";
        for (const auto& [name, kwarg] : node.kwargs())
            if (const auto* out = kwarg.as<TorchConstant>(); name == "out_dtype" && out) value.dtype = out->name;
    }
    graph.setMeta(node.id(), std::make_shared<const NodeMeta>(std::move(meta)));
}

/// choose_qparams gives a scale and a zero point, each a tensor with one value.
void setChosen(Graph& graph, const Node& node) {
    ValueInfo scale{"torch.float64", {"1"}, {"1"}, "cpu", true, false};
    ValueInfo zeroPoint = scale;
    zeroPoint.dtype = "torch.int64";
    NodeMeta meta = node.meta();
    meta.values = {scale, zeroPoint};
    const std::vector<NodeId> items(node.users().begin(), node.users().end());
    graph.setMeta(node.id(), std::make_shared<const NodeMeta>(std::move(meta)));
    for (const NodeId item : items) {
        const auto* place =
            graph.node(item).args().size() == 2 ? graph.node(item).args()[1].as<std::int64_t>() : nullptr;
        NodeMeta of = graph.node(item).meta();
        of.values = {place && *place == 1 ? zeroPoint : scale};
        graph.setMeta(item, std::make_shared<const NodeMeta>(std::move(of)));
    }
}

} // namespace

void portMetadata(Graph& graph, const Annotations& annotations) {
    for (const NodeId id : graph.order()) {
        const auto found = annotations.find(id);
        if (found == annotations.end() || !found->second.isValid()) continue;
        for (const auto& [input, spec] : found->second.inputs)
            if (spec && !graph.node(input).erased()) portInput(graph, input, id);
        if (!found->second.output || graph.node(id).users().empty()) continue;
        NodeId last = kNoNode;
        for (const NodeId user : graph.node(id).users()) last = user;
        if (isQuantizeCall(graph.node(last))) setTrace(graph, last, graph.node(id));
    }
    for (const NodeId id : graph.order()) {
        const Node& node = graph.node(id);
        if (isChooseCall(node)) setChosen(graph, node);
        else if (isQuantizeCall(node) || isDequantizeCall(node) ||
                 callsDecomposed(node, "convert_element_type.no_fuse"))
            setValues(graph, node);
    }
}

} // namespace fx::quant::pt2e
