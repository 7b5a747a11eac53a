// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"

/// The graphs that torchao exports from its patterns of convolution and batch normalisation, node by node. Their names
/// and order determine the names in a replacement.
namespace fx::quant::pt2e {

/// One of torchao's patterns: a convolution, followed by batch normalisation.
struct QatPattern {
    std::string conv; ///< "conv2d"
    bool hasBias = false;
    bool isPerChannel = true; ///< quantisation of the weight; used by the forms after conversion
    /// The rank of the input.
    std::size_t dimensions() const { return conv.back() == 'd' && conv[conv.size() - 2] == '1' ? 3 : 4; }
    bool isTransposed() const { return conv.find("transpose") != std::string::npos; }
};

/// Returns x ─ conv ─ batch_norm, with and without bias alike; a filter distinguishes them.
GraphModule convNormPattern(const QatPattern& pattern);
/// Returns the form for training, without quantisation.
GraphModule trainedPattern(const QatPattern& pattern);
/// Returns the form for training, with the scaled weight quantised and dequantised.
GraphModule quantisedPattern(const QatPattern& pattern);
/// Returns a convolution with quantised weight and a batch normalisation.
GraphModule foldedPattern(const QatPattern& pattern);

} // namespace fx::quant::pt2e
