// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/quant/modes.h"
#include "core/quant/prepare.h"

namespace fx::quant {

/// Returns a warning for each rule of `mapping` that applies to nothing in a model, such as a misspelt name; torch.ao
/// is silent about them. `prepared` must have been prepared with `mapping`. The rules of `base`, the defaults of the
/// mode, are exempt. Module names in `prepared.state.custom` count as rules. Takes time linear in the model for each
/// regular expression.
Warnings idleRules(const GraphModule& model, const PreparedModel& prepared, const QConfigMapping& mapping,
                   const QConfigMapping& base);

} // namespace fx::quant
