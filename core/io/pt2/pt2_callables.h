// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/ir/callable.h"

namespace fx {

/// The callable that a node's `target` text names: an operator overload, a higher-order operator or a function. A name
/// that PyTorch 2.13 does not have gives an opaque one.
CallablePtr pt2Callable(std::string_view target);

} // namespace fx
