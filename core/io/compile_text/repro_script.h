// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"

#include <string_view>

namespace fx {

/// Reads the `__init__` of a runnable (`class Repro`) in `text[start, end)`. Buffers with literal values
/// (`tensor([1., 2.])`) become expressions; large buffers and parameters (`torch.randn`) have no values in the dump.
void readReproInit(GraphModule& module, std::string_view text, std::size_t start, std::size_t end);

/// Reads `load_args(reader)` of a runnable, if present. Each call describes the next input of the graph: shape,
/// strides, dtype and device, or the number of a symbolic size ("hint" in the node's metadata).
void readReproInputs(GraphModule& module, std::string_view text);

/// Returns the PyTorch version in `# torch version: 2.13.0+cpu`, or an empty string.
std::string reproProducer(std::string_view text);

} // namespace fx
