// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/ir/graph.h"
#include "core/json/json_document.h"

namespace fx {

/// Reads a value as `graph --json` writes it: numbers, text, booleans, null; `{"node": "x"}`, `{"tuple": [...]}`,
/// `[...]`,
/// `{"dict": [[k, v]...]}`, `{"slice": [a, b, c]}`, `{"repr": "torch.float32"}`. Nodes are looked up in `graph`.
/// Throws Error{Refused} with the location in the JSON.
Argument argumentFromJson(const JsonValue& json, const Graph& graph);
std::vector<Argument> argumentsFromJson(const JsonValue& json, const Graph& graph);
Kwargs kwargsFromJson(const JsonValue& json, const Graph& graph);

/// The node of that name. Throws Error{Refused}.
NodeId nodeFromJson(const JsonValue& json, const Graph& graph);

} // namespace fx
