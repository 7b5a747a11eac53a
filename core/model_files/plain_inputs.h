// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"

namespace fx {

/// A model whose inputs were nested when it was traced, with the inputs as its function has them: items are taken and
/// the result is nested by nodes, as PyTorch makes it of a saved file. Other models stay as they are.
GraphModule withPlainInputs(const GraphModule& model);

} // namespace fx
