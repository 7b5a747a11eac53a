// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/ops/semantics.h"
#include "core/trace/value.h"

namespace fx::trace {

/// Returns true if the strides of a constant tensor are known: it is from the file, or was just created by a function
/// such as torch.zeros. Effects of views and operators on strides are not tracked.
bool hasKnownStrides(const TensorRef& tensor);

/// Returns true if an operation on the constant tensor `args[0]` returns the same tensor (Python's `is`) instead of a
/// new one: `b.contiguous()` of a contiguous tensor, `b.to(torch.float32)` of a float tensor, `torch.dropout(b, 0.5,
/// False)`. torch.fx then records a read of `b` itself.
bool givesSameTensor(const ops::OperatorSemantics& operation, const Values& args, const KeywordValues& kwargs);

} // namespace fx::trace
