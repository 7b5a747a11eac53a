// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/ir/callable.h"

namespace fx {

/// Returns the callable named by a node's `target`: an operator overload, a higher-order operator or a function. An
/// unknown name gives an opaque callable.
CallablePtr pt2Callable(std::string_view target);

} // namespace fx
