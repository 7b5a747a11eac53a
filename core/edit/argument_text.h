// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/ir/graph.h"

#include <string>
#include <string_view>

namespace fx {

/// Reads an argument as Python writes it in generated code: `x`, `[x, 1]`, `(2, None)`, `torch.float32`, `slice(0, 2)`;
/// names refer to nodes of `graph`. Throws Error{Refused} for other expressions, such as `x + 1`, which would need a
/// node.
Argument argumentFromText(std::string_view text, const Graph& graph);

} // namespace fx
