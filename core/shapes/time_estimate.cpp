// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/shapes/time_estimate.h"

#include "core/base/plain_number.h"

#include <algorithm>

namespace fx {
namespace {

bool hasNumbers(const Node& node) {
    const auto& values = node.meta().values;
    return !values.empty() && std::all_of(values.begin(), values.end(), [](const ValueInfo& value) {
        return !value.isTensor || plainNumbers(value.sizes).has_value();
    });
}

} // namespace

std::unordered_map<std::string, double> estimatedTimes(const GraphModule& model) {
    NodeShapes shapes;
    std::size_t calls = 0, known = 0;
    for (const Node& node : model.graph.nodes()) {
        calls += node.isCall();
        if (!hasNumbers(node)) continue;
        known += node.isCall();
        shapes.nodes.emplace_back(node.name(), node.meta().values);
    }
    std::unordered_map<std::string, double> times;
    if (known * 2 < calls || known == 0) return times;
    CostModel costs(model, shapes);
    for (const Node& node : model.graph.nodes()) {
        if (!node.isCall()) continue;
        const NodeCost cost = costs.of(node);
        times.emplace(node.name(),
                      std::max(cost.flops / (kAssumedGflops * 1e6), cost.bytes() / (kAssumedGbytes * 1e6)));
    }
    return times;
}

} // namespace fx
