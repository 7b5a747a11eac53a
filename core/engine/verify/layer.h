// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"

namespace fx::engine {

/// Returns the module that a node calls, or null for other nodes.
const Module* calledModule(const Node& node, const GraphModule& model);

/// Returns the parameter, buffer or constant that a node reads, or null for other nodes.
TensorPtr tensorRead(const Node& node, const GraphModule& model);

/// Returns the table of an embedding, or null for other nodes.
TensorPtr tableOf(const Node& node, const GraphModule& model);

/// True if larger inputs of either sign lead to no new behaviour of the node, unlike the end of a range in relu.
bool isScaleFree(const Node& node, const GraphModule& model);
/// Returns the same for a module.
bool isScaleFree(const Module& module);

} // namespace fx::engine
