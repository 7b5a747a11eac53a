// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ops/python_operators.h"
#include "core/trace/callables.h"
#include "core/trace/constants/constant_tensors.h"
#include "core/trace/numbers/python_numbers.h"
#include "core/trace/tracer.h"

#include <algorithm>
#include <array>
#include <unordered_set>

namespace fx::trace {
namespace {
struct Pair {
    std::string_view op, other;
};
/// The method that `tensor OP proxy` is recorded as; torch.Tensor's own names where they differ.
constexpr std::array<Pair, 9> kTensorMethods = {{{"truediv", "div"},
                                                 {"floordiv", "__floordiv__"},
                                                 {"mod", "remainder"},
                                                 {"lshift", "__lshift__"},
                                                 {"rshift", "__rshift__"},
                                                 {"and_", "__and__"},
                                                 {"or_", "__or__"},
                                                 {"xor", "__xor__"},
                                                 {"getitem", "__getitem__"}}};
/// `1 < x` asks x whether it is greater.
constexpr std::array<Pair, 6> kMirrored = {
    {{"lt", "gt"}, {"gt", "lt"}, {"le", "ge"}, {"ge", "le"}, {"eq", "eq"}, {"ne", "ne"}}};

template<std::size_t N> std::string_view lookUp(const std::array<Pair, N>& table, std::string_view op) {
    const auto found = std::find_if(table.begin(), table.end(), [&](const Pair& pair) { return pair.op == op; });
    return found == table.end() ? std::string_view{} : found->other;
}
Message controlFlow() { return Message("python.control_flow"); }

bool isShape(std::string_view name) { return name == "shape" || name == "ndim"; }

/// Returns true if a node depends on inputs of the model, and only on their shapes.
bool comesFromShapes(const Graph& graph, NodeId start) {
    std::vector<NodeId> open{start};
    std::unordered_set<NodeId> met;
    bool anyShape = false;
    while (!open.empty()) {
        const Node& node = graph.node(open.back());
        open.pop_back();
        const std::string& target = node.target();
        const bool isMethod = node.op() == Op::CallMethod;
        const auto* name = target == "getattr" && node.args().size() > 1 ? node.args()[1].as<std::string>() : nullptr;
        if ((isMethod && (target == "size" || target == "dim" || target == "numel")) || (name && isShape(*name))) {
            anyShape = true;
            continue;
        }
        if (node.op() != Op::CallFunction && !isMethod) return false;
        for (const NodeId input : node.inputs())
            if (met.insert(input).second) open.push_back(input);
    }
    return anyShape;
}
} // namespace

Value Tracer::binary(std::string_view op, const Value& left, const Value& right) {
    const bool proxied = left.isProxy() || right.isProxy();
    if (m_mode == Mode::AsWritten && proxied) return recordFunction(operatorCallable(op), {left, right}, {});
    if (op == "contains" && proxied) throw PythonError(left.isProxy() ? Message("python.iterated") : controlFlow());
    if (left.isProxy()) return recordFunction(operatorCallable(op), {left, right}, {});
    if (right.isProxy()) {
        if (left.as<TensorValue>()) {
            const auto method = lookUp(kTensorMethods, op);
            return recordMethod(std::string(method.empty() ? op : method), {left, right}, {});
        }
        const auto mirrored = lookUp(kMirrored, op);
        if (!mirrored.empty()) return recordFunction(operatorCallable(mirrored), {right, left}, {});
        return recordFunction(operatorCallable(op), {left, right}, {});
    }
    if (left.as<TensorValue>() || right.as<TensorValue>()) return computeOperator(op, left, right);
    return evaluateOrRecord([&] { return plainBinary(op, left, right); },
                            [&] {
                                return recordFunction(operatorCallable(op), {left, right}, {});
                            });
}

Value Tracer::computeOperator(std::string_view op, const Value& left, const Value& right) {
    // A selection is a view; other operators give new tensors.
    return computed({op == "getitem" ? "select" : "add", nullptr, {left, right}, {}, ConstantCall::Kind::Operator, op},
                    [&] { return constantFromOperator(op, left, right); });
}

Value Tracer::inPlace(std::string_view op, const Value& left, const Value& right) {
    if (recordsConstants && left.as<TensorValue>()) throw CannotFollow(Message("call.writes_constant"));
    if (recordsConstants && left.isProxy() && op != "matmul") {
        const std::string_view name = op.ends_with('_') ? op.substr(0, op.size() - 1) : op; // "and_"
        return recordFunction(resolveCallable("_operator.i" + std::string(name)), {left, right}, {});
    }
    const auto method = ops::inPlaceMethod(op);
    if (m_mode == Mode::AsWritten || !left.as<TensorValue>() || method.empty()) return binary(op, left, right);
    if (holdsProxy(right)) return recordMethod(std::string(method), {left, right}, {});
    return computeMethod(*left.as<TensorValue>(), std::string(method), {right}, {});
}

Value Tracer::unary(std::string_view op, const Value& operand) {
    if (operand.isProxy()) {
        if (op == "not_" && m_mode == Mode::AsPython) throw PythonError(controlFlow());
        return recordFunction(operatorCallable(op), {operand}, {});
    }
    if (op == "not_") return {Argument(!truth(operand))};
    if (const auto* tensor = operand.as<TensorValue>())
        return computeMethod(*tensor,
                             op == "invert" ? "bitwise_not"
                             : op == "pos"  ? "positive"
                                            : std::string(op),
                             {}, {});
    return evaluateOrRecord([&] { return plainUnary(op, operand); },
                            [&] { return recordFunction(operatorCallable(op), {operand}, {}); });
}

Value Tracer::subscript(const Value& object, const Value& key) {
    if (object.isProxy()) return recordFunction(operatorCallable("getitem"), {object, key}, {});
    if (object.as<TensorValue>()) {
        if (key.isProxy() || m_mode == Mode::AsWritten) return binary("getitem", object, key);
        if (holdsProxy(key)) {
            const auto* sequence = key.as<ValueSequence>();
            const bool direct = sequence && std::any_of(sequence->items.begin(), sequence->items.end(),
                                                        [](const Value& v) { return v.isProxy(); });
            if (direct) return recordMethod("__getitem__", {object, key}, {});
            throw PythonError("TypeError: slice indices must be integers or None or have an __index__ method");
        }
        return computeOperator("getitem", object, key);
    }
    if (key.isProxy() && m_mode == Mode::AsPython)
        throw PythonError("TypeError: indices must be integers or slices, not Proxy");
    if (const auto* module = object.as<ModuleValue>()) {
        const auto* argument = key.as<Argument>();
        const auto* index = argument ? argument->as<std::int64_t>() : nullptr;
        const auto* name = argument ? argument->as<std::string>() : nullptr;
        if (index) return moduleMember(*module, std::to_string(*index));
        if (name) return moduleMember(*module, *name);
    }
    return evaluateOrRecord([&] { return plainSubscript(object, key); },
                            [&] {
                                return recordFunction(operatorCallable("getitem"), {object, key}, {});
                            });
}

bool Tracer::truth(const Value& value) {
    if (!value.isProxy()) return plainTruth(value);
    const auto* proxy = value.as<Proxy>();
    const bool byShape = proxy && m_mode == Mode::AsPython && comesFromShapes(m_graph, proxy->node);
    if (byShape) throw PythonError(Message("python.shape_control_flow"));
    if (!proxy || !isOfGraph(proxy->node)) throw PythonError(controlFlow());
    throw PythonError(Message("python.control_flow", {{"node", m_graph.node(proxy->node).name()}}));
}

} // namespace fx::trace
