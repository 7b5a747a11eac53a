// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/ir/graph.h"

#include <string>
#include <string_view>

namespace fx {

/// Reads an argument as Python writes it in generated code: `x`, `[x, 1]`, `(2, None)`, `torch.float32`, `slice(0, 2)`;
/// names are nodes of `graph`. Throws Error{Refused} for what is no argument, such as `x + 1`, which would be a node of
/// its own.
Argument argumentFromText(std::string_view text, const Graph& graph);

} // namespace fx
