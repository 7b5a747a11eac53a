// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/passes/pass.h"

namespace fx {

/// torch.fx `NormalizeArgs`: arguments by keyword, defaults filled in.
Pass normalizeArgsPass();

} // namespace fx
