// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/passes/pass.h"

namespace fx {

/// torch.fx `CSEPass`: of nodes that compute the same from the same, the first stays.
///
/// torch.fx's pass takes every graph for functional and merges also what draws random numbers or writes to its
/// arguments. Here that needs the setting `safe: false`, which is CSEPass() exactly; `banned` names operators to leave
/// alone (banned_ops).
Pass csePass();

} // namespace fx
