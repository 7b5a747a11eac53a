// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/module.h"

namespace fx {

/// torch.fx `Node.is_impure`: returns true if a node must be kept even if it is unused. These are inputs, the output,
/// modules with `_is_impure`, and functions that write to their arguments, draw random numbers or have other effects.
/// Methods are never impure, as in torch.fx.
///
/// An unknown operator overload is impure, because its schema might be.
bool isImpure(const Module& root, const Node& node);

} // namespace fx
