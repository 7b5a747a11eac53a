// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/passes/pass.h"

namespace fx {

/// Traces the model itself. Mirrors torch.fx's `Tracer.trace`: enters GraphModules, Sequentials and the modules in
/// `inline`, and keeps the modules in `keep` as calls. Enters a class of torch.nn only if its `forward` is known.
/// Nodes that are the same afterwards keep their metadata.
Pass retracePass();

} // namespace fx
