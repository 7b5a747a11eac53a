// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/ir/graph.h"
#include "core/json/json_writer.h"

namespace fx {

/// Writes a value as JSON: numbers, strings, booleans and None as themselves, a node as `{"node": "x"}`, a tuple as
/// `{"tuple": [...]}` (with `type` for a NamedTuple), a list as `[...]`, a dict as
/// `{"dict": [[k, v]...]}`, a slice as `{"slice": [a, b, c]}`, anything else as `{"repr": "torch.float32"}`.
void writeArgument(JsonWriter& json, const Graph& graph, const Argument& argument);

/// The text, or null if it is empty.
void writeTextOrNull(JsonWriter& json, std::string_view text);

/// The members `"shape": [1, "s77"], "dtype": "float32"` for the value of a node: null if unknown, lists if the node
/// returns several tensors.
void writeValueInfo(JsonWriter& json, const Node& node);

/// The path of the module that a node belongs to: the innermost frame of its module stack, else the target of a
/// call_module; empty if unknown.
std::string_view modulePathOf(const Node& node);

/// `/a/b.py:3 in forward, code: return s.seq(x)`: the innermost frame of the node's stack trace; empty if the node has
/// none.
std::string sourceLineOf(const Node& node);

/// Writes the graph as `{"nodes": [{"name", "op", "target", "args", "kwargs", "users", "type", "module_path", "source",
/// "shape", "dtype"}]}`, one node per line. Linear.
void writeGraph(JsonWriter& json, const Graph& graph);

} // namespace fx
