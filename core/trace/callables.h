// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/ir/callable.h"

#include <string_view>

namespace fx {

/// Returns the callable with a dotted Python name: `torch.relu`, `operator.add`, `_operator.add`, `getattr`,
/// `torch.nn.functional.relu`, `torch.ops.aten.add.Tensor`, `aten.add.Tensor`, `math.sqrt`, or an unknown name.
///
/// Never null: an unknown name gives an opaque callable, which is printed and saved as written.
CallablePtr resolveCallable(std::string_view dotted);

/// Returns true if the name is known: a Python function in the table or a registered operator.
bool isKnownCallable(std::string_view dotted);

} // namespace fx
