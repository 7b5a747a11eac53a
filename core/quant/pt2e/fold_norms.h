// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"

namespace fx::quant::pt2e {

bool isConvolution(const Node& node);           ///< aten conv1d, conv2d, conv3d, also with padding as text
bool isTransposedConvolution(const Node& node); ///< aten conv_transpose1d, 2d, 3d
bool isBatchNorm(const Node& node);             ///< torchao `_is_bn_node`
bool hasBatchNorm(const Graph& graph);

/// torchao `_fuse_conv_bn_` and `_fuse_linear_bn_`: folds batch normalisations into the weights of the layers before
/// them. Weights, names and order are torchao's. Throws Error{Refused} for weights that are not attributes.
void foldNorms(GraphModule& model, Warnings& warnings);

/// torchao `fold_bn_weights_into_conv_node`: folds `norm` into `conv`, whose weight and bias are these get_attr nodes
/// (`bias` may be kNoNode), and erases it. `isRepeated`: the weight has been folded into already; only the node goes.
void foldNorm(GraphModule& model, NodeId conv, NodeId weight, NodeId bias, NodeId norm, bool isRepeated);

} // namespace fx::quant::pt2e
