// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"

/// The graphs that torchao exports from its patterns of convolution and batch normalisation, node by node: names and
/// order decide the names that a replacement gets.
namespace fx::quant::pt2e {

/// One of torchao's patterns: a convolution, followed by batch normalisation.
struct QatPattern {
    std::string conv; ///< "conv2d"
    bool hasBias = false;
    bool isPerChannel = true; ///< of the weight's quantisation; for the forms after conversion
    std::size_t dimensions() const { return conv.back() == 'd' && conv[conv.size() - 2] == '1' ? 3 : 4; }
    bool isTransposed() const { return conv.find("transpose") != std::string::npos; }
};

/// x ─ conv ─ batch_norm. The same for convolutions with and without bias; a filter tells them apart.
GraphModule convNormPattern(const QatPattern& pattern);
/// The form for training: `scaledPattern`'s without quantisation.
GraphModule trainedPattern(const QatPattern& pattern);
/// The form for training, with the scaled weight quantised and dequantised.
GraphModule quantisedPattern(const QatPattern& pattern);
/// Convolution with quantised weight, and batch normalisation.
GraphModule foldedPattern(const QatPattern& pattern);

} // namespace fx::quant::pt2e
