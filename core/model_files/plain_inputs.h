// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"

namespace fx {

/// Returns a model that was traced with nested inputs (pytrees) in the form that PyTorch loads from a saved file: it
/// has the inputs of its function, and nodes unpack the inputs and nest the result. Other models stay unchanged.
GraphModule withPlainInputs(const GraphModule& model);

} // namespace fx
