// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/ir/graph.h"

#include <array>
#include <string>

namespace fx {

/// The cells of a row of `Graph.print_tabular()`: opcode, name, target, args, kwargs.
using TabularRow = std::array<std::string, 5>;
/// The header row.
inline constexpr std::array<const char*, 5> kTabularHeaders = {"opcode", "name", "target", "args", "kwargs"};
/// Returns the row of a node.
TabularRow tabularRow(const Graph& graph, const Node& node);

/// Returns `Graph.print_tabular()` without the final newline. Addresses print as 0x0.
std::string tabularText(const Graph& graph);

} // namespace fx
