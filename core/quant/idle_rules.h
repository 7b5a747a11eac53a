// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/quant/modes.h"
#include "core/quant/prepare.h"

namespace fx::quant {

/// A warning for each rule that applies to nothing in a model, as a misspelt name does: torch.ao says nothing of them.
/// `mapping` is what `prepared` was made by. Those of `base`, the rules of the mode, need not apply. Names of modules
/// in `prepared.state.custom` count as rules. Linear in the model for each regular expression.
Warnings idleRules(const GraphModule& model, const PreparedModel& prepared, const QConfigMapping& mapping,
                   const QConfigMapping& base);

} // namespace fx::quant
