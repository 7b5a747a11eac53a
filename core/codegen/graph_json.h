// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/ir/graph.h"
#include "core/json/json_writer.h"

namespace fx {

/// Writes a value as JSON: numbers, text, booleans and None as themselves, a node as `{"node": "x"}`, a tuple as
/// `{"tuple": [...]}` (a NamedTuple with its class beside it as `type`), a list as `[...]`, a dict as
/// `{"dict": [[k, v]...]}`, a slice as `{"slice": [a, b, c]}`, anything else as `{"repr": "torch.float32"}`.
void writeArgument(JsonWriter& json, const Graph& graph, const Argument& argument);

/// Text, or null when it is empty.
void writeTextOrNull(JsonWriter& json, std::string_view text);

/// The members `"shape": [1, "s77"], "dtype": "float32"` of what a node produces: null when unknown, lists of them when
/// the node produces several tensors.
void writeValueInfo(JsonWriter& json, const Node& node);

/// The path of the module that a node belongs to: the innermost frame of its module stack, else the target of a
/// call_module; empty when nothing is known.
std::string_view modulePathOf(const Node& node);

/// `/a/b.py:3 in forward, code: return s.seq(x)`: the innermost frame of the node's stack trace; empty when there is
/// none.
std::string sourceLineOf(const Node& node);

/// Writes the graph as `{"nodes": [{"name", "op", "target", "args", "kwargs", "users", "type", "module_path", "source",
/// "shape", "dtype"}]}`, a node per line. Linear.
void writeGraph(JsonWriter& json, const Graph& graph);

} // namespace fx
