// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/trace/constants/load_time_writes.h"
#include "core/trace/constants/tensor_call.h"

/// Errors that PyTorch raises for a call with constants, as far as sizes, dtypes and numbers tell, with its texts. All
/// functions throw PythonError, and return if the call succeeds or this is not known.
namespace fx::trace {

/// Throws what PyTorch raises for this call.
void requirePossible(const ConstantCall& call);

/// An operation by its name without the `_` of a write; `self` is the first operand.
struct CheckedCall {
    std::string_view name;
    TensorCall call;
    const Sizes& sizes;    ///< of `self`
    bool isMethod = false; ///< a method, not a function of torch
    bool writes = false;   ///< the name had a `_`
};
/// Throws if a dimension is out of range or given twice.
void requireDimensions(const CheckedCall& checked);
/// Throws if the operands of a write do not broadcast to `self`, or its dtype cannot take the result.
void requireWritable(const CheckedCall& checked);
/// Throws if the operation fails for these operands in another way.
void requireOperands(const CheckedCall& checked);
/// Throws if a product of `self` and another tensor does not exist.
void requireFactors(const CheckedCall& checked);
/// Throws if `self[key]` does not exist.
void requireIndex(const Sizes& sizes, const Value& key);
/// Throws if `self[key] = value` fails.
void requireAssignable(const Sizes& sizes, const Value& key, const Value& value);
/// Throws if torch.name(...), which takes no tensor, makes none.
void requireFactory(std::string_view name, const TensorCall& call);
/// Throws if torch.nn.functional.name(...), which is written in Python, fails.
void requireFunctional(std::string_view name, const TensorCall& call);

} // namespace fx::trace
