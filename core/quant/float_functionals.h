// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/quant/traced.h"

namespace fx::quant {

/// torch.ao `_swap_ff_with_fxff`: each FloatFunctional becomes an FXFloatFunctional. The former calls an Identity after
/// its operation, which eager mode replaces by an observer; the latter does not, so these calls leave the graph:
///
///     torch.add ─▶ skip.activation_post_process ─▶ relu        torch.add ─▶ relu
void swapFloatFunctionals(TracedModel& traced);

} // namespace fx::quant
