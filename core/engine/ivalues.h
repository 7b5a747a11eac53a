// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/engine/dispatch.h"

#include <ATen/core/function_schema.h>

namespace fx::engine {

/// A torch.ScriptObject: an object of a class defined by LibTorch, opaque to all but operators.
struct ScriptObject {
    c10::IValue value;
};
/// Returns a tensor or an object as a value.
Value objectValue(const c10::IValue& value);

/// Converts a value to an operator argument, like Python's bindings: numbers to tensors and Scalars, one int to a list
/// of the declared length, None to an absent optional. Throws Error{Run} on a type mismatch.
c10::IValue toIValue(const Value& value, const c10::Argument& argument);
/// Converts a result of an operator. `type` comes from the schema, or is null.
Value fromIValue(c10::IValue value, ResultStyle style, const c10::Type* type);

} // namespace fx::engine
