// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/trace/value.h"

namespace fx::trace {

/// Whether it is known how a constant tensor lies in memory: it is the file's, or a function such as torch.zeros has
/// just made it. What views and operators do to strides is not followed.
bool hasKnownStrides(const TensorRef& tensor);

/// Whether an operation on `args[0]`, a constant tensor, gives that very tensor (Python's `is`) and no new one:
/// `b.contiguous()` of a contiguous one, `b.to(torch.float32)` of one that is, `torch.dropout(b, 0.5, False)`. torch.fx
/// then records a read of `b` itself. `name` is that of the method or function, without namespace and overload.
bool givesSameTensor(std::string_view name, const Values& args, const KeywordValues& kwargs);

} // namespace fx::trace
