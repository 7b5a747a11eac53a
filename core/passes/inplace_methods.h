// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/passes/pass.h"

namespace fx {

/// Writes augmented assignments to tensors (`x += y`) as the methods that they call (`x.add_(y)`). Both write to x, but
/// PyTorch traces the code of a saved GraphModule again, where `x += y` becomes `x = x + y`.
Pass inplaceMethodsPass();

} // namespace fx
