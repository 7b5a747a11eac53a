// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/python/python_interpreter.h"

/// Elements of numpy arrays: casts, operators and sums with numpy's rounding.
namespace fx::python::array_numbers {

/// Throws CannotFollow unless `value` is a number.
void require(Interpreter& in, const Value& value);
/// Rounds a number to `dtype` ("float32", "int8").
Value castTo(Interpreter& in, const Value& value, std::string_view dtype);
/// Computes `a OP b` for "add", "floordiv", "maximum", "lt"...; unset for an unknown operator.
Value operated(std::string_view op, const Value& a, const Value& b);
/// Applies "sqrt", "abs", "sign"... to a number; unset for an unknown function.
Value unaryOf(std::string_view op, const Value& value);
/// Reduces all values with an operator, with the rounding of `dtype`. Real sums use numpy's order, which depends on
/// whether the values lie in a row in memory.
Value reduced(std::string_view op, const Values& values, std::string_view dtype, bool inRows);
/// Formats a number with the fewest digits that identify it within its dtype.
std::string numberText(Interpreter& in, const Value& value, std::string_view dtype);

} // namespace fx::python::array_numbers
