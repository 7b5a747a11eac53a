// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/ir/graph.h"
#include "core/json/json_writer.h"

namespace fx {

/// Writes a value as JSON. Numbers, strings, booleans, None and lists are JSON values. A node is `{"node": "x"}`, a
/// tuple `{"tuple": [...]}` (with `type` for a NamedTuple), a dict `{"dict": [[k, v]...]}`, a slice `{"slice": [a, b,
/// c]}`, and any other value `{"repr": "torch.float32"}`.
void writeArgument(JsonWriter& json, const Graph& graph, const Argument& argument);

/// Writes the text, or null if it is empty.
void writeTextOrNull(JsonWriter& json, std::string_view text);

/// Writes the members `"shape": [1, "s77"], "dtype": "float32"` for the value of a node. They are null if unknown, and
/// lists if the node returns several tensors.
void writeValueInfo(JsonWriter& json, const Node& node);

/// Returns the path of the module that a node belongs to: the innermost frame of its module stack, else the target of a
/// call_module. Empty if unknown.
std::string_view modulePathOf(const Node& node);

/// Returns the innermost frame of the stack trace of a node: `/a/b.py:3 in forward, code: return s.seq(x)`. Empty if
/// there is no stack trace.
std::string sourceLineOf(const Node& node);

/// Writes the graph as `{"nodes": [{"name", "op", "target", "args", "kwargs", "users", "type", "module_path", "source",
/// "shape", "dtype"}]}`, one node per line. Linear.
void writeGraph(JsonWriter& json, const Graph& graph);

} // namespace fx
