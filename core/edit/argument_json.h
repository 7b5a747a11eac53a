// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/ir/graph.h"
#include "core/json/json_document.h"

namespace fx {

/// Reads a value in the form of `graph --json`: numbers, strings, booleans, null; `{"node": "x"}`, `{"tuple": [...]}`,
/// `[...]`, `{"dict": [[k, v]...]}`, `{"slice": [a, b, c]}`, `{"repr": "torch.float32"}`. Nodes are names in `graph`.
/// Throws Error{Refused} with the location in the JSON.
Argument argumentFromJson(const JsonValue& json, const Graph& graph);
/// Reads an array of values.
std::vector<Argument> argumentsFromJson(const JsonValue& json, const Graph& graph);
/// Reads an object of values.
Kwargs kwargsFromJson(const JsonValue& json, const Graph& graph);

/// Returns the node with that name. Throws Error{Refused}.
NodeId nodeFromJson(const JsonValue& json, const Graph& graph);

} // namespace fx
