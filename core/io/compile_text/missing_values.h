// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"

namespace fx {

/// Adds the members that the graph of `module` reads and calls but the text does not define: tensors with the shapes of
/// their annotations and without values, modules without settings. Adds warnings. Nested graphs count as present.
void addMissingValues(GraphModule& module);

/// Throws Error{Refused} with the node if the model, or a nested graph, was read from text that lacks values or modules
/// needed to run it.
void requireValues(const GraphModule& module);

} // namespace fx
