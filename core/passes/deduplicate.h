// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/passes/pass.h"

namespace fx {

/// Lets nodes that name equal tensors name one of them, and calls of equal modules call one of them; for inference, as
/// what was trained apart is tied then. What nothing names any more is removed.
Pass deduplicatePass();

} // namespace fx
