// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/passes/pass.h"

namespace fx {

/// torch.fx `Tracer.trace` of the model itself: GraphModules and Sequentials inside are traced through, as are the
/// modules that `inline` names; those that `keep` names stay calls. A class of torch.nn is followed where its `forward`
/// is known. Nodes that come out the same keep their metadata.
Pass retracePass();

} // namespace fx
