// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/module.h"

namespace fx {

/// torch.fx `Node.is_impure`: whether a node is to stay although nothing uses it. Inputs, output, modules with
/// `_is_impure`, functions that write to their arguments, draw random numbers or have other effects. A method never is,
/// as in torch.fx.
///
/// An operator overload that Lancet does not know counts as impure, since its schema could say so.
bool isImpure(const Module& root, const Node& node);

} // namespace fx
