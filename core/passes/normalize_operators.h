// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/passes/pass.h"

namespace fx {

/// Replaces torch.add(x, y) by x + y, and so on. Mirrors torch.fx's `NormalizeOperators` without annotations.
Pass normalizeOperatorsPass();

} // namespace fx
