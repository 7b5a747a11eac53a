// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/ir/graph.h"

namespace fx {

/// `str(graph)` of torch.fx 2.13, byte for byte.
std::string graphText(const Graph& graph);
/// `node.format_node()` without the indentation, e.g. `%relu : [num_users=1] = call_function[target=torch.relu](args =
/// (%x,), kwargs = {})`.
std::string formatNode(const Graph& graph, const Node& node);

/// Appends Python's `repr()` of a value; nodes print as their name.
void appendRepr(std::string& out, const Graph& graph, const Argument& argument);
std::string reprOf(const Graph& graph, const Argument& argument);
/// Appends Python's `str()` of a value: as repr, but strings and devices at top level are bare.
void appendStr(std::string& out, const Graph& graph, const Argument& argument);
/// "(x, 2)" / "{'dim': 1}": the args tuple and the kwargs dict as Python prints them.
std::string argsRepr(const Graph& graph, const Node& node);
std::string kwargsRepr(const Graph& graph, const Node& node);

} // namespace fx
