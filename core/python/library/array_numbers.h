// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/python/interpreter.h"

/// The elements of numpy's arrays: casts, operators and sums with numpy's rounding.
namespace fx::python::array_numbers {

/// Throws CannotFollow for what is no number.
void require(Interpreter& in, const Value& value);
/// A number as an element of `dtype` ("float32", "int8") holds it.
Value castTo(Interpreter& in, const Value& value, std::string_view dtype);
/// `a OP b` for "add", "floordiv", "maximum", "lt"...; unset for an unknown operator.
Value operated(std::string_view op, const Value& a, const Value& b);
/// "sqrt", "abs", "sign"... of a number; unset for an unknown one.
Value unaryOf(std::string_view op, const Value& value);
/// All values joined by an operator; real sums in numpy's order.
Value reduced(std::string_view op, const Values& values);
/// As few digits as tell a number from the others of its dtype.
std::string numberText(Interpreter& in, const Value& value, std::string_view dtype);

} // namespace fx::python::array_numbers
