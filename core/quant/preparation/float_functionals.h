// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/quant/preparation/traced.h"

namespace fx {
class SourceScopes;
}

namespace fx::quant {

/// torch.ao `_swap_ff_with_fxff`: each FloatFunctional, also of a derived class, becomes an FXFloatFunctional. The
/// former calls an Identity after its operation, which eager mode replaces by an observer; the latter does not, so
/// these calls leave the graph:
///
///     torch.add ─▶ skip.activation_post_process ─▶ relu        torch.add ─▶ relu
///
/// `known`: what the trace of a source knows of derived classes, or null. `isTraced`: the graph was traced with
/// FXFloatFunctional already, the modules are not replaced yet. Throws Error{Refused} if the graph has something of a
/// member that only a derived class has.
void swapFloatFunctionals(TracedModel& traced, const SourceScopes* known, bool isTraced = false);

} // namespace fx::quant
