// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/trace/value.h"

/// Python's own operators on plain values: numbers, strings, tuples and lists.
namespace fx::trace {

/// The value of an int that fits in 64 bits, or of a bool.
std::optional<std::int64_t> plainInteger(const Value& value);
/// The value of an int, bool or float.
std::optional<double> plainReal(const Value& value);

/// `left OP right`; `op` as in the operator module. Throws PythonError where Python would, CannotFollow for unsupported
/// operands, such as integers of more than BigInteger::kMaxBits.
Value plainBinary(std::string_view op, const Value& left, const Value& right);
/// neg, pos, invert, abs of a number.
Value plainUnary(std::string_view op, const Value& operand);
/// `object[key]` of a tuple, list, dict or string.
Value plainSubscript(const Value& object, const Value& key);
/// `left == right` of plain values.
bool plainEqual(const Value& left, const Value& right);
/// bool(value) of a plain value.
bool plainTruth(const Value& value);

} // namespace fx::trace
