// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/ir/callable.h"

#include <string_view>

namespace fx {

/// The callable that a dotted Python name leads to: `torch.relu`, `operator.add`, `_operator.add`, `getattr`,
/// `torch.nn.functional.relu`, `torch.ops.aten.add.Tensor`, `aten.add.Tensor`, `math.sqrt`, or a name Lancet does not
/// know.
///
/// Never null: an unknown name gives an opaque callable that prints and saves as it was written.
CallablePtr resolveCallable(std::string_view dotted);

/// Whether the name leads to something that Lancet knows (a Python function of its table or a registered operator).
bool isKnownCallable(std::string_view dotted);

} // namespace fx
