// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"

#include <optional>

namespace fx::engine {

/// The module that a node calls; null for other nodes.
const Module* calledModule(const Node& node, const GraphModule& model);

/// The parameter, buffer or constant that a node reads; null for other nodes.
TensorPtr tensorRead(const Node& node, const GraphModule& model);

/// A layer that computes weight * (something) + bias, called as a module or a function.
struct Layer {
    TensorPtr weight, bias, mean, variance; ///< the last two of a normalisation with running statistics
    bool channelsLast = false;              ///< the bias is along the last dimension, else along the second
};
std::optional<Layer> layerOf(const Node& node, const GraphModule& model);

/// The table of an embedding; null for other nodes.
TensorPtr tableOf(const Node& node, const GraphModule& model);

/// Whether larger data, of either sign, meet nothing new in what the node computes: no end of a range, as relu has one.
bool isScaleFree(const Node& node, const GraphModule& model);
bool isScaleFree(const Module& module);

} // namespace fx::engine
