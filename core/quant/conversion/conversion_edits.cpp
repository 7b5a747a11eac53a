// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/quant/conversion/conversion_edits.h"

#include "core/trace/callables.h"

#include <algorithm>

namespace fx::quant {

namespace {

NodeId callAt(Graph& graph, InsertPoint point, std::string_view target, std::vector<Argument> args, Kwargs kwargs) {
    graph.setInsertPoint(point);
    const NodeId made = graph.callFunction(resolveCallable(target), std::move(args), std::move(kwargs));
    graph.setInsertPoint({});
    return made;
}

} // namespace

NodeId callBefore(Graph& graph, NodeId before, std::string_view target, std::vector<Argument> args, Kwargs kwargs) {
    return callAt(graph, {InsertPoint::Side::Before, before}, target, std::move(args), std::move(kwargs));
}

NodeId callAfter(Graph& graph, NodeId after, std::string_view target, std::vector<Argument> args, Kwargs kwargs) {
    return callAt(graph, {InsertPoint::Side::After, after}, target, std::move(args), std::move(kwargs));
}

bool isCallOf(const Node& node, std::string_view function) {
    return node.op() == Op::CallFunction && node.target() == function;
}

bool isMethodCall(const Node& node, std::string_view method) {
    return node.op() == Op::CallMethod && node.target() == method;
}

NodeId dequantizeOf(const Graph& graph, const Argument& argument) {
    return argument.isNode() && isMethodCall(graph.node(argument.node()), "dequantize") ? argument.node() : kNoNode;
}

std::string NewNames::make(std::string prefix) {
    std::replace(prefix.begin(), prefix.end(), '.', '_');
    std::size_t& number = m_next[prefix];
    std::string name;
    do name = prefix + std::to_string(number++);
    while (!m_taken.insert(name).second);
    return name;
}

} // namespace fx::quant
