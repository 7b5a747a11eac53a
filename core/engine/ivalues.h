// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/engine/dispatch.h"

#include <ATen/core/function_schema.h>

namespace fx::engine {

/// A value as an argument of an operator, with the conversions that Python's bindings make: numbers to tensors and
/// Scalars, one int to a list of the declared length, None to an absent optional. Throws Error{Run} when the type does
/// not fit.
c10::IValue toIValue(const Value& value, const c10::Argument& argument);
/// What an operator returned. `type`: of the schema, or null.
Value fromIValue(c10::IValue value, ResultStyle style, const c10::Type* type);

} // namespace fx::engine
