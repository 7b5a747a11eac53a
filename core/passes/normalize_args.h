// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/passes/pass.h"

namespace fx {

/// Passes arguments by keyword and fills in defaults. Mirrors torch.fx's `NormalizeArgs`.
Pass normalizeArgsPass();

} // namespace fx
