// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/passes/pass.h"

namespace fx {

/// torch.fx `NormalizeOperators` without annotations: torch.add(x, y) becomes x + y, and so on.
Pass normalizeOperatorsPass();

} // namespace fx
