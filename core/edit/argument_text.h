// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/io/readers.h"
#include "core/ir/graph.h"

#include <string_view>

namespace fx {

/// Reads an argument in the Python syntax of generated code: `x`, `[x, 1]`, `(2, None)`, `torch.float32`, `slice(0,
/// 2)`. Names refer to nodes of `graph`. Throws Error{Refused} for other expressions, such as `x + 1`, which would
/// need a node. `readers` compute values such as `2 * 3`.
Argument argumentFromText(std::string_view text, const Graph& graph, const Readers& readers = {});

} // namespace fx
