// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"

namespace fx {

/// Adds what the graph of `module` reads and calls, but its text does not contain: tensors with the shapes of their
/// annotations and without values, modules without settings. Warns about them. Nested graphs count as present.
void addMissingValues(GraphModule& module);

/// Throws Error{Refused} with the node if the model was read from text that lacks values or modules that it needs to
/// run, also in its nested graphs.
void requireValues(const GraphModule& module);

} // namespace fx
