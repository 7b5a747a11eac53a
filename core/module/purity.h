// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/module.h"

namespace fx {

/// torch.fx `Node.is_impure`: whether a node must be kept even if unused. Inputs, output, modules with
/// `_is_impure`, functions that write to their arguments, draw random numbers or have other effects. Methods are never
/// impure, as in torch.fx.
///
/// An unknown operator overload counts as impure, because its schema might say so.
bool isImpure(const Module& root, const Node& node);

} // namespace fx
