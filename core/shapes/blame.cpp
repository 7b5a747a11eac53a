// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/shapes/blame.h"

#include <algorithm>
#include <vector>

namespace fx {
namespace {

bool sameShape(const ValueInfo* a, const ValueInfo* b) {
    return a && b && a->sizes == b->sizes && a->dtype == b->dtype;
}

NodeId originOf(const Graph& graph, NodeId id, const KnownInfo& known) {
    while (true) { // each step goes up
        const auto& inputs = graph.node(id).inputs();
        const auto above = std::find_if(inputs.begin(), inputs.end(),
                                        [&](NodeId input) { return sameShape(known(input), known(id)); });
        if (above == inputs.end()) return id;
        id = *above;
    }
}

void addModuleTensors(ShapeFailure& failure, const GraphModule& model, const Node& node) {
    const PathTarget target = node.op() == Op::CallModule ? resolvePath(*model.root, node.target()) : PathTarget();
    if (!target.module) return;
    for (const Module::Slot& slot : target.module->parameters) {
        if (!slot.tensor) continue;
        ValueInfo info;
        info.dtype = dtypeName(slot.tensor->dtype);
        for (const std::int64_t size : slot.tensor->sizes) info.sizes.push_back(std::to_string(size));
        failure.operands.push_back({node.target() + "." + slot.name, std::move(info), {}});
    }
}

} // namespace

void explainFailure(ShapeFailure& failure, const GraphModule& model, const Node& node, const KnownInfo& known) {
    std::vector<std::size_t> places(model.graph.idLimit());
    std::size_t place = 0;
    for (const Node& each : model.graph.nodes()) places[index(each.id())] = ++place;
    std::size_t best = 0;
    for (const NodeId input : node.inputs()) {
        const ValueInfo* info = known(input);
        if (!info) continue;
        const Node& origin = model.graph.node(originOf(model.graph, input, known));
        failure.operands.push_back({model.graph.node(input).name(), *info, origin.name()});
        const bool fromOutside = origin.op() == Op::Placeholder || origin.op() == Op::GetAttr;
        const std::size_t rank = places[index(origin.id())] + (fromOutside ? 0 : place);
        if (rank > best) best = rank, failure.cause = origin.name();
    }
    addModuleTensors(failure, model, node);
}

} // namespace fx
