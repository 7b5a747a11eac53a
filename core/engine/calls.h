// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/engine/value.h"

/// Calls functions, operators, methods and attributes of a graph as Python would.
namespace fx::engine {

/// A function by torch.fx's qualified name: "torch.relu", "torch.nn.functional.gelu", "torch.ops.aten.add.Tensor",
/// "_operator.add", "math.sqrt", "getattr". Throws Error{Run} with the missing name and similar ones.
Value callFunction(std::string_view qualifiedName, Arguments arguments);
/// `arguments[0].name(...)`
Value callMethod(std::string_view name, Arguments arguments);
/// `getattr(object, name)`
Value attributeOf(const Value& object, std::string_view name);

/// Positional arguments only.
inline Value callFunction(std::string_view qualifiedName, Values positional) {
    return callFunction(qualifiedName, Arguments{std::move(positional), {}});
}
inline Value callMethod(std::string_view name, Values positional) {
    return callMethod(name, Arguments{std::move(positional), {}});
}

/// `left OP right`, `op` as in the operator module ("add", "floordiv", "eq").
Value binaryOf(std::string_view op, const Value& left, const Value& right);
/// neg, pos, abs, invert
Value unaryOf(std::string_view op, const Value& operand);
/// bool(value)
bool truthOf(const Value& value);
/// The items that Python iterates over; a tensor's are those of its first dimension.
Values iterate(const Value& value);
/// math.* and builtins that take only numbers; nullopt for other names. A tensor with one element counts as a number.
std::optional<Value> callNumberFunction(std::string_view name, const Arguments& arguments);
/// A torch call as text, as stored by an expression storage: "torch.zeros(3, 4)".
Value evaluateExpression(std::string_view source);
/// A Python literal as text: "1.5", "None", "(1, 2)".
Value literalOf(std::string_view text);
/// `object[key]`, `object[key] = value`
Value subscriptOf(const Value& object, const Value& key);
void assignSubscript(const Value& object, const Value& key, const Value& value);

/// A C++ implementation of a Python function; takes the arguments as in the graph.
using CallForm = Value (*)(Arguments& arguments);
/// One lookup per family; null for unknown names.
CallForm operatorFunction(std::string_view qualifiedName); ///< operator.*, math.*, builtins
CallForm torchFunction(
    std::string_view qualifiedName);          ///< functions of torch that are written in Python or bound by hand
CallForm tensorMethod(std::string_view name); ///< methods of Tensor, likewise
/// Functions of torch.nn.functional in terms of operators. Returns false if the function is unknown.
bool callFunctional(std::string_view qualifiedName, const Arguments& arguments, Value& result);

} // namespace fx::engine
