// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/ir/graph.h"

namespace fx {

/// `str(graph)` of torch.fx 2.13, byte for byte.
std::string graphText(const Graph& graph);
/// `node.format_node()` without indentation: `%relu : [num_users=1] = call_function[target=torch.relu](args = (%x,),
/// kwargs = {})`.
std::string formatNode(const Graph& graph, const Node& node);

/// Appends Python's `repr()` of a value. Nodes print as their name.
void appendRepr(std::string& out, const Graph& graph, const Argument& argument);
/// Returns Python's `repr()` of a value.
std::string reprOf(const Graph& graph, const Argument& argument);
/// Appends Python's `str()` of a value: like repr, but strings and devices at top level have no quotes.
void appendStr(std::string& out, const Graph& graph, const Argument& argument);
/// Returns the args tuple as Python prints it: "(x, 2)".
std::string argsRepr(const Graph& graph, const Node& node);
/// Returns the kwargs dict as Python prints it: "{'dim': 1}".
std::string kwargsRepr(const Graph& graph, const Node& node);

} // namespace fx
