// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

/// Functions and classes of torch.fx on top of Graph and Node, for one program; `objects` keeps them.
namespace fx::python {

class GraphObjects;

void addInterpreters(GraphObjects& objects); ///< Adds what Interpreter and Transformer do to each node.
void addNormalizing(GraphObjects& objects);  ///< Adds `normalize_function` and the like.
void addRewriting(GraphObjects& objects);    ///< Adds `replace_pattern`, `legalize_graph` and SubgraphMatcher.
void addSplitting(GraphObjects& objects);    ///< Adds `split_module` and what CapabilityBasedPartitioner needs.

} // namespace fx::python
