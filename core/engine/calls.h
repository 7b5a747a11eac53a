// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/engine/run_value.h"

/// Calls functions, operators, methods and attributes of a graph as Python would.
namespace fx::engine {

/// Calls a function by torch.fx's qualified name: "torch.relu", "torch.nn.functional.gelu",
/// "torch.ops.aten.add.Tensor", "_operator.add", "math.sqrt", "getattr". Throws Error{Run} with the missing name and
/// similar ones.
Value callFunction(std::string_view qualifiedName, Arguments arguments);
/// Calls `arguments[0].name(...)`.
Value callMethod(std::string_view name, Arguments arguments);
/// Returns `getattr(object, name)`.
Value attributeOf(const Value& object, std::string_view name);

/// As above, with positional arguments only.
inline Value callFunction(std::string_view qualifiedName, Values positional) {
    return callFunction(qualifiedName, Arguments{std::move(positional), {}});
}
/// As above, with positional arguments only.
inline Value callMethod(std::string_view name, Values positional) {
    return callMethod(name, Arguments{std::move(positional), {}});
}

/// Returns `left OP right`; `op` is a name of the operator module ("add", "floordiv", "eq").
Value binaryOf(std::string_view op, const Value& left, const Value& right);
/// As `binaryOf`, for neg, pos, abs and invert.
Value unaryOf(std::string_view op, const Value& operand);
/// Returns `bool(value)`.
bool truthOf(const Value& value);
/// Returns the items that Python's `iter` yields; those of a tensor are slices of its first dimension.
Values iterate(const Value& value);
/// Calls functions of math and builtins that take only numbers; nullopt for other names. A tensor with one element
/// counts as a number.
std::optional<Value> callNumberFunction(std::string_view name, const Arguments& arguments);
/// Evaluates a torch call stored as text by an expression storage: "torch.zeros(3, 4)".
Value evaluateExpression(std::string_view source);
/// Evaluates a Python literal: "1.5", "None", "(1, 2)".
Value literalOf(std::string_view text);
/// Returns `object[key]`.
Value subscriptOf(const Value& object, const Value& key);
/// Performs `object[key] = value`.
void assignSubscript(const Value& object, const Value& key, const Value& value);

/// A C++ implementation of a Python function; takes the arguments of the node.
using CallForm = Value (*)(Arguments& arguments);
/// Each of these finds a function of one family; null for unknown names.
CallForm operatorFunction(std::string_view qualifiedName); ///< operator.*, math.*, builtins
/// Functions of torch that PyTorch implements in Python or in hand-written bindings.
CallForm torchFunction(std::string_view qualifiedName);
CallForm tensorMethod(std::string_view name); ///< methods of Tensor, as `torchFunction`
/// Calls functions of torch.nn.functional in terms of operators. Returns false if the function is unknown.
bool callFunctional(std::string_view qualifiedName, const Arguments& arguments, Value& result);

} // namespace fx::engine
