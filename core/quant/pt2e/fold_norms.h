// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"

namespace fx::quant::pt2e {

bool isConvolution(const Node& node);           ///< aten conv1d, conv2d, conv3d, including padding given as text
bool isTransposedConvolution(const Node& node); ///< aten conv_transpose1d, 2d, 3d
bool isBatchNorm(const Node& node);             ///< Mirrors torchao's `_is_bn_node`.
/// True if the graph has a batch normalisation.
bool hasBatchNorm(const Graph& graph);

/// Mirrors torchao's `_fuse_conv_bn_` and `_fuse_linear_bn_`: folds batch normalisations into the weights of the
/// layers before them. Weights, names and order are torchao's. Throws Error{Refused} for weights that are not
/// attributes.
void foldNorms(GraphModule& model, Warnings& warnings);

/// Folds `norm` into `conv` and erases it. Mirrors torchao's `fold_bn_weights_into_conv_node`. `weight` and `bias` are
/// get_attr nodes; `bias` may be kNoNode. `isRepeated` means that the weight is already folded, so only the node is
/// erased.
void foldNorm(GraphModule& model, NodeId conv, NodeId weight, NodeId bias, NodeId norm, bool isRepeated);

} // namespace fx::quant::pt2e
