// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/quant/preparation/traced.h"

namespace fx {
class SourceScopes;
}

namespace fx::quant {

/// Mirrors torch.ao `_swap_ff_with_fxff`: replaces each FloatFunctional, including derived classes, by an
/// FXFloatFunctional. A FloatFunctional calls an Identity after its operation, which eager mode replaces by an
/// observer. FXFloatFunctional has no such call, so these calls leave the graph:
///
///     torch.add ─▶ skip.activation_post_process ─▶ relu        torch.add ─▶ relu
///
/// `known` holds the derived classes found while tracing a source, or is null. `isTraced` means that the graph was
/// traced with FXFloatFunctional, and only the modules are still to be replaced. Throws Error{Refused} if the graph
/// uses a member that only a derived class has.
void swapFloatFunctionals(TracedModel& traced, const SourceScopes* known, bool isTraced = false);

} // namespace fx::quant
