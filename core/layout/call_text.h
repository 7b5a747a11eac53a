// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/ir/graph.h"

#include <string>
#include <utility>
#include <vector>

namespace fx {

/// The parameters of a function: names and defaults.
using CallParameters = std::vector<std::pair<std::string, std::string>>;

/// Texts of calls for cards. Nodes appear by their names without the path of the box ("layer1.0"); long texts end in
/// "…".
///
/// Returns a Python operator as an expression: "x + 1", "x[:, 0]", "x.shape"; empty for other functions.
std::string operatorText(const Graph& graph, const Node& node, std::string_view box);
/// Returns the constants of a call that differ from the defaults: "(approximate='tanh')", "(-1, -2)"; may be empty.
std::string constantsText(const Graph& graph, const Node& node, const CallParameters& parameters, std::string_view box);
/// Returns a value as text: "(a, b)", "{'logits': fc}".
std::string valueText(const Graph& graph, const Argument& value, std::string_view box);

} // namespace fx
