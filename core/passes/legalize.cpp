// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/passes/legalize.h"

#include "core/passes/sort_users.h"

#include <algorithm>
#include <array>
#include <deque>

namespace fx {
namespace {

constexpr std::array<std::string_view, 17> kFirst = {"_operator.add",
                                                     "_operator.mul",
                                                     "_operator.sub",
                                                     "_operator.floordiv",
                                                     "_operator.truediv",
                                                     "_operator.mod",
                                                     "_operator.le",
                                                     "_operator.lt",
                                                     "_operator.ge",
                                                     "_operator.gt",
                                                     "_operator.eq",
                                                     "_operator.ne",
                                                     "torch.ops.aten.sym_constrain_range.default",
                                                     "torch.ops.aten.sym_constrain_range_for_size.default",
                                                     "torch.ops.aten._assert_async.msg",
                                                     "torch.ops.aten.scalar_tensor.default",
                                                     "torch.ops.aten._assert_scalar.default"};

bool isFirst(const Node& node) {
    return node.op() == Op::CallFunction && std::find(kFirst.begin(), kFirst.end(), node.target()) != kFirst.end();
}

} // namespace

bool legalizeGraph(Graph& graph) {
    std::vector<std::size_t> waiting(graph.idLimit());
    std::deque<NodeId> ready;
    for (const Node& node : graph.nodes()) {
        waiting[index(node.id())] = node.inputs().size();
        if (node.inputs().empty()) ready.push_back(node.id());
    }
    std::vector<NodeId> order;
    while (!ready.empty()) {
        const NodeId id = ready.front();
        ready.pop_front();
        order.push_back(id);
        for (const NodeId user : graph.node(id).users()) {
            if (--waiting[index(user)] > 0) continue;
            if (isFirst(graph.node(user))) ready.push_front(user);
            else ready.push_back(user);
        }
    }
    if (order.size() != graph.size()) return false;
    for (std::size_t i = 0; i < order.size(); ++i)
        if (i == 0) graph.moveBefore(order[0], graph.first());
        else graph.moveAfter(order[i], order[i - 1]);
    for (const NodeId id : order) sortUsers(graph, id); // torch.fx copies the nodes in this order
    return true;
}

} // namespace fx
