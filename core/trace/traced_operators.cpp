// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/trace/constants/constant_tensors.h"
#include "core/trace/numbers/python_numbers.h"
#include "core/trace/tracer.h"

#include <algorithm>
#include <array>

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
/// The method that `tensor OP= value` calls.
constexpr std::array<Pair, 12> kInPlaceMethods = {{{"add", "add_"},
                                                   {"sub", "sub_"},
                                                   {"mul", "mul_"},
                                                   {"truediv", "div_"},
                                                   {"floordiv", "floor_divide_"},
                                                   {"mod", "remainder_"},
                                                   {"pow", "pow_"},
                                                   {"and_", "__iand__"},
                                                   {"or_", "__ior__"},
                                                   {"xor", "__ixor__"},
                                                   {"lshift", "__ilshift__"},
                                                   {"rshift", "__irshift__"}}};
/// `1 < x` asks x whether it is greater.
constexpr std::array<Pair, 6> kMirrored = {
    {{"lt", "gt"}, {"gt", "lt"}, {"le", "ge"}, {"ge", "le"}, {"eq", "eq"}, {"ne", "ne"}}};

template<std::size_t N> std::string_view lookUp(const std::array<Pair, N>& table, std::string_view op) {
    const auto found = std::find_if(table.begin(), table.end(), [&](const Pair& pair) { return pair.op == op; });
    return found == table.end() ? std::string_view{} : found->other;
}
Message controlFlow() { return Message("python.control_flow"); }
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
    const auto method = lookUp(kInPlaceMethods, op);
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
    if (value.isProxy()) throw PythonError(controlFlow());
    return plainTruth(value);
}

} // namespace fx::trace
