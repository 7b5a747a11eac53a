// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"

namespace fx {

/// Checks a changed model as torch.fx's lint does: the graph, the graphs that its higher-order operators call, and
/// that the modules, tensors and graphs to which nodes refer exist. Targets that did not exist in `before` may still be
/// missing; with `mayMissPaths`, so may all others. O(differences) if the model has the same modules and graphs, else
/// linear. Throws Error{Refused}.
void lintChange(const GraphModule& before, const GraphModule& after, bool mayMissPaths = false);

} // namespace fx
