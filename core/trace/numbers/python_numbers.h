// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/trace/value.h"

/// Python's operators on plain values: numbers, strings, tuples and lists.
namespace fx::trace {

/// Returns the value of a bool or of an int that fits in 64 bits.
std::optional<std::int64_t> plainInteger(const Value& value);
/// Returns the value of an int, bool or float.
std::optional<double> plainReal(const Value& value);

/// Computes `a OP b` (add, sub, mul, floordiv, mod) as Python's integers; nullopt for other operators, for divisors 0
/// and -1, and for results that do not fit in 64 bits.
std::optional<std::int64_t> smallBinary(std::string_view op, std::int64_t a, std::int64_t b);

/// Computes `divmod(a, b)` of floats as CPython does; numpy has the same. `b` is not zero.
std::pair<double, double> floorDivision(double a, double b);

/// Computes `left OP right`; `op` is as in the operator module. Throws PythonError where Python raises, and
/// CannotFollow for unsupported operands, such as integers of more than BigInteger::kMaxBits.
Value plainBinary(std::string_view op, const Value& left, const Value& right);
/// Computes neg, pos, invert or abs of a number.
Value plainUnary(std::string_view op, const Value& operand);
/// Returns a torch.Size of integers. Throws PythonError for items of other types, and CannotFollow for tensors.
Value sizeOf(Values items);
/// Computes `object[key]` of a tuple, list, dict or string.
Value plainSubscript(const Value& object, const Value& key);
/// Computes `left == right` of plain values.
bool plainEqual(const Value& left, const Value& right);
/// Computes bool(value) of a plain value.
bool plainTruth(const Value& value);

} // namespace fx::trace
