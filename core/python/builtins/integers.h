// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/python/python_interpreter.h"

namespace fx::python {

/// Returns the integer part of a float as `int`. Raises Python's error for NaN and infinities; throws CannotFollow for
/// numbers beyond 64 bits. `function` is the name in that text.
Value integerOf(Interpreter& in, std::string_view function, double number);
/// `operator.index`: what `__index__` of an object returns. Integers and values of the tracer are returned unchanged;
/// raises TypeError for others.
Value indexOf(Interpreter& in, const Value& value);
/// A slice with integers and None as bounds: `__index__` of objects among them is called.
SliceObject indexed(Interpreter& in, const SliceObject& slice);

} // namespace fx::python
